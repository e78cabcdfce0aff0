import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { startDenokv } from "../support/service/denokv.ts";
import { startTextCarrier } from "../support/service/text_carrier.ts";
import { eventually } from "../support/process/eventually.ts";
import { placeCall, toldOf, wholeCall } from "../support/process/placed_call.ts";
import { smallDisk } from "../support/process/small_disk.ts";
import { startSystem } from "../support/process/system.ts";

/**
 * A service on a `denokv` (from Rust's crates) that cannot write, or is stopped. DENOKV is its
 * path; the gate does not install it. `deno task soak:store` runs this.
 */

/** Longer than a companion may be silent before its calls are ended. */
const failingMs = 17_000;

// Declared only where it can run, not ignored: the gate counts ignored tests as failed.
const isHere = Deno.env.has("DENOKV") && Deno.uid() === 0; // It mounts a disk.

for (const fault of isHere ? ["full disk", "stop"] as const : []) {
  Deno.test({
    name: `a ${fault} of the store's server ends no call, and nothing is sent twice`,
    timeout: 240_000,
    async fn() {
      await using disk = await smallDisk();
      await using app = startAppServer();
      app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
      await using carrier = startTextCarrier();
      await using store = await startDenokv(disk.directory);
      await using system = await startSystem({ env: { KV_URL: store.url, SMS_URL: carrier.url } });
      const [anna, bert] = [await system.phone("anna"), await system.phone("bert")];
      const lasting = await placeCall(system, { app, phone: anna, login: "anna" });
      const ending = await placeCall(system, { app, phone: bert, login: "bert" });
      await eventually("the answer is told", () => toldOf(app, ending.sid).length === 3);
      await system.post("SMS/Messages.json", {
        From: "+15005550006",
        To: "+4915112345678",
        Body: "hello",
        StatusCallback: `${app.url}/text`,
      });
      await eventually("the carrier has the text", () => carrier.texts.length > 0);

      if (fault === "full disk") await disk.fill();
      else Deno.kill(store.pid(), "SIGSTOP");
      const begunAt = performance.now();
      carrier.take();
      await ending.dialog.bye();
      const calls = `${system.baseUrl}/2012-04-24/Accounts/${system.accountSid}/Calls.json`;
      const headers = {
        authorization: `Basic ${btoa(`${system.accountSid}:${system.authToken}`)}`,
      };
      const refused = await eventually("POST is refused", async () => {
        const body = new URLSearchParams({ From: "a", To: "client:anna", Url: `${app.url}/voice` });
        const answer = await fetch(calls, { method: "POST", headers, body });
        const { code } = await answer.json();
        return answer.status !== 200 && { status: answer.status, code };
      });
      assert.deepEqual(refused, { status: 503, code: 20503 });
      const ready = await fetch(`${system.baseUrl}/ready`);
      assert.equal(ready.status, 503);
      assert.notEqual((await ready.json()).store, "ok");
      await eventually(
        "a companion could have been taken for lost",
        () => performance.now() - begunAt > failingMs,
      );
      assert.equal(carrier.texts.length, 1);

      if (fault === "full disk") await disk.free();
      else Deno.kill(store.pid(), "SIGCONT");
      await eventually("all is told", () => toldOf(app, ending.sid).length >= wholeCall.length);
      await app.asked("/text");
      await eventually(
        "it is ready",
        async () => (await fetch(`${system.baseUrl}/ready`)).status === 200,
      );
      assert.equal((await system.get(`Calls/${lasting.sid}.json`)).status, "in-progress");
      await lasting.dialog.bye();
      await eventually("all is told", () => toldOf(app, lasting.sid).length >= wholeCall.length);
      for (const { sid } of [lasting, ending]) assert.deepEqual(toldOf(app, sid), wholeCall);
      assert.equal(carrier.texts.length, 1);
      assert.equal(app.sent("/text").length, 1);
    },
  });
}
