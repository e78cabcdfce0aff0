import assert from "node:assert/strict";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import { changedTree } from "../support/process/changed_tree.ts";
import { eventually } from "../support/process/eventually.ts";
import { freeUdpPort } from "../support/media/free_udp_port.ts";
import { startSystem } from "../support/process/system.ts";

/** Hangs a media Worker when `sip/hang` comes: not the one after it. */
const hang = `
  const startedAt = Date.now();
  setInterval(() => {
    try {
      const { mtime } = Deno.statSync(new URL("../../hang", import.meta.url));
      if (mtime.getTime() < startedAt) return;
    } catch {
      return;
    }
    for (;;);
  }, 50);
`;

Deno.test({
  name: "a media Worker that hangs ends its calls, and no other call, registration or process",
  timeout: 240_000,
  async fn() {
    await using tree = await changedTree({ "sip/media/worker/worker.ts": (text) => text + hang });
    await using cleanup = new AsyncDisposableStack();
    await using system = await startSystem({
      root: tree.path,
      env: { RTP_PORTS: "0", MEDIA_PORT: String(freeUdpPort()) },
    });
    const alice = await system.phone("alice");
    const [client] = await system.get("Clients.json?Login=alice");
    await system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${system.baseUrl}/demo/echo` });
    const socket = await plainSocket();
    cleanup.defer(() => socket.close());
    const [bob, carols] = [await system.phone("bob"), await system.phone("carol")];
    // Their audio passes the companion by.
    const passing = bob.call("carol");
    const carol = await carols.nextCall();
    const callee = await carol.answer();
    const bobs = await passing.answered;
    const talking = await alice.call("echo", { sdp: plainOffer(socket.port) }).answered;
    const callsThatAre = async (status: string) =>
      (await system.get(`Calls.json?Status=${status}`)).calls.length;
    const [before] = system.pids("sip/main.ts");

    await Deno.writeTextFile(`${tree.path}/sip/hang`, "");
    await eventually("Worker hangs", () => system.output().includes("The media worker stopped"));
    await eventually(
      "there is another",
      () => system.output().includes("The media worker was replaced"),
    );

    assert.equal((await talking.ended).method, "BYE");
    await eventually("it is completed", async () => await callsThatAre("completed") >= 1);
    // By the connection and the registration of before.
    const again = await alice.call("echo", { sdp: plainOffer(socket.port) }).answered;
    await again.bye();
    assert.equal((await bobs.request("INFO")).status, 200);
    await bobs.bye();
    await callee.ended;
    assert.deepEqual(system.pids("sip/main.ts"), [before]);
  },
});
