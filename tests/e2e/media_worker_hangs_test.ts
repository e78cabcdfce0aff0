import assert from "node:assert/strict";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";

const root = new URL("../../", import.meta.url).pathname;

/** The programs, with a media Worker that hangs once `sip/hang` is there. */
async function treeThatHangs(): Promise<string> {
  const tree = await Deno.makeTempDir();
  // The packages too: the companion may not read what is outside of its tree.
  const entries = [
    "node_modules",
    "core",
    "kv",
    "routes",
    "sip",
    "main.ts",
    "kv/commands/numbers.ts",
    "deno.json",
    "deno.lock",
  ];
  const { success } = await new Deno.Command("cp", {
    args: ["-a", ...entries.map((name) => root + name), tree],
  }).output();
  assert.ok(success);
  const hang = `
    setInterval(() => {
      try {
        Deno.statSync(new URL("../../hang", import.meta.url));
      } catch {
        return;
      }
      for (;;);
    }, 50);
  `;
  await Deno.writeTextFile(`${tree}/sip/media/worker/worker.ts`, hang, { append: true });
  return tree;
}

Deno.test({
  name: "a media Worker that hangs ends every call, and the companion comes back",
  timeout: 240_000,
  async fn() {
    const tree = await treeThatHangs();
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => Deno.remove(tree, { recursive: true }));
    await using system = await startSystem({ root: tree, env: { RTP_PORTS: "0" } });
    const alice = await system.phone("alice");
    const [client] = await system.get("Clients.json?Login=alice");
    await system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${system.baseUrl}/demo/echo` });
    const socket = await plainSocket();
    cleanup.defer(() => socket.close());
    const talking = await alice.call("echo", { sdp: plainOffer(socket.port) }).answered;
    const callsThatAre = async (status: string) =>
      (await system.get(`Calls.json?Status=${status}`)).calls.length;
    await eventually("it is in progress", async () => await callsThatAre("in-progress") === 1);
    const [before] = system.pids("sip/main.ts");

    await Deno.writeTextFile(`${tree}/sip/hang`, "");
    await eventually("Worker hangs", () => system.output().includes("The media worker stopped"));
    await Deno.remove(`${tree}/sip/hang`);

    assert.equal((await talking.ended).method, "BYE");
    await eventually("it is completed", async () => await callsThatAre("completed") === 1);
    await eventually("another companion is there", () => {
      const [now] = system.pids("sip/main.ts");
      return now !== undefined && now !== before;
    });
    await system.ready();
    const again = await system.phone("alice");
    const dialog = await again.call("echo", { sdp: plainOffer(socket.port) }).answered;
    await dialog.bye();
  },
});
