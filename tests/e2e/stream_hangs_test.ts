import assert from "node:assert/strict";
import { streamServer } from "../support/media/stream_server.ts";
import { startBystander } from "../support/process/bystander.ts";
import { changedTree } from "../support/process/changed_tree.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { newTenant } from "../support/process/tenant.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";

/** Calls while the thread that reads a stream or a conversation hangs on a message of its server. */

/** Has reading such a message take 10 s. */
const hangs = (text: string) =>
  text.replace(
    "serveSockets(readMessage",
    `serveSockets((text) => {
      if (text.includes("hang")) for (const until = Date.now() + 10_000; Date.now() < until;);
      return readMessage(text);
    }`,
  );

Deno.test({
  name: "a message that hangs the thread of its stream or conversation ends that, and no call",
  timeout: 240_000,
  async fn() {
    await using tree = await changedTree({
      "sip/media/streams/socket_worker.ts": hangs,
      "sip/script/socket_worker.ts": hangs,
    });
    await using system = await startSystem({ root: tree.path, env: { RTP_PORTS: "0" } });
    await using bystander = await startBystander(system);
    await using app = startAppServer();
    await using server = await streamServer();
    await using stack = new AsyncDisposableStack();
    const attacker = await newTenant(system, "attacker");
    for (const noun of ["Stream", "ConversationRelay"]) {
      app.pages.set(
        `/${noun}`,
        `<Response><Connect><${noun} url="${server.url}"/></Connect>` +
          `<Redirect>${app.url}/after-${noun}</Redirect></Response>`,
      );
      app.pages.set(`/after-${noun}`, `<Response><Gather timeout="60"/></Response>`);
      const phone = await attacker.phone(noun.toLowerCase(), `${app.url}/${noun}`);
      const socket = await plainSocket();
      stack.defer(() => socket.close());
      const { heard } = await bystander.goesOnWhile(async () => {
        const dialog = await phone.call("agent", { sdp: plainOffer(socket.port) }).answered;
        (await server.next()).send({ hang: true });
        await app.asked(`/after-${noun}`);
        assert.equal((await dialog.request("INFO")).status, 200);
      });
      assert.ok(heard.seconds > 2, "the thread hung for some time");
    }

    await eventually("the tenant is told why", async () => {
      const { notifications } = await attacker.get("Notifications.json?PageSize=100");
      const texts: string[] = notifications.map((each: { message_text: string }) =>
        each.message_text
      );
      return texts.filter((text) => text.includes("hung on a message")).length === 2;
    });
    const { calls } = await attacker.get("Calls.json?Status=in-progress");
    assert.equal(calls.length, 2);
  },
});
