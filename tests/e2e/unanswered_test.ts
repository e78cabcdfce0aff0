import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import { startSystem } from "../support/process/system.ts";

const ours = "+14155550101";

/**
 * Response to the request of the number's Url, final status for the caller, and status of the Call.
 */
const documents: [what: string, page: string | number, sip: number, status: string][] = [
  ["an empty document", "<Response/>", 200, "completed"],
  ["an empty answer", 204, 200, "completed"],
  ["a Pause alone", '<Response><Pause length="1"/></Response>', 200, "completed"],
  ["a Redirect to nothing", "<Response><Redirect>/nothing</Redirect></Response>", 200, "completed"],
  ["an Sms", "<Response><Sms>We call you back</Sms></Response>", 200, "completed"],
  ["verbs that are unknown", "<Response><Fax/></Response>", 200, "completed"],
  ["Hangup", "<Response><Hangup/></Response>", 200, "completed"],
  ["Reject", "<Response><Reject/></Response>", 603, "busy"],
  ["Reject as busy", '<Response><Reject reason="busy"/></Response>', 486, "busy"],
  ["a Dial of nobody", "<Response><Dial><Client>nobody</Client></Dial></Response>", 404, "failed"],
  ["no document", 404, 404, "failed"],
  ["what is no markup", "<Answer/>", 500, "failed"],
  ["a loop", "<Response><Redirect>/voice</Redirect></Response>", 500, "failed"],
];

Deno.test({
  name:
    "a caller whose call no verb answered gets the reason for its end, and so does the StatusCallback",
  timeout: 240_000,
  async fn() {
    await using app = startAppServer();
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    await system.post("IncomingPhoneNumbers.json", {
      PhoneNumber: ours,
      VoiceUrl: `${app.url}/voice`,
      StatusCallback: `${app.url}/status`,
    });
    const alice = await system.phone("alice");
    const socket = await plainSocket();
    const sdp = plainOffer(socket.port);

    for (const [what, page, sip, status] of documents) {
      app.pages.set("/voice", page);
      const before = app.sent("/voice").length;
      const { status: told } = await alice.call(ours, { sdp }).final;
      const { CallSid } = app.sent("/voice")[before]!;
      const isLast = (form: Record<string, string>) =>
        form.CallSid === CallSid && form.CallDuration !== undefined;
      const callback = await app.asked("/status", isLast);

      assert.equal(told, sip, what);
      assert.equal(callback.CallStatus, status, `${what}: ${JSON.stringify(callback)}`);
      // The Pause is performed once the call is answered.
      const isPaused = what === "a Pause alone";
      assert.equal(callback.CallDuration, isPaused ? "1" : "0", what);
      assert.equal((await system.get(`Calls/${CallSid}.json`)).status, status, what);
    }
    const ends = app.sent("/status").filter(({ CallDuration }) => CallDuration !== undefined);
    assert.equal(ends.length, documents.length);
    await socket.close();
  },
});
