import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer } from "../support/sip/plain_peer.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { talkAt } from "../support/media/talker.ts";
import { tone } from "../support/media/tone.ts";
import { pcmFile } from "../support/media/wav_file.ts";

/** The first notes of the chime that the service has for its numbers to try. */
const chime = [523.25, 659.25];

Deno.test({
  name: "a call hears audio of this service, and none of a private address, which gets no request",
  timeout: 240_000,
  async fn() {
    await using app = startAppServer();
    app.pages.set("/secret.wav", pcmFile(tone(1_000, 1)));
    await using system = await startSystem({
      env: { RTP_PORTS: "0", ALLOW_PRIVATE_URLS: "false" },
    });
    const secret = `${app.url}/secret.wav`;
    const flow = {
      start: "inside",
      steps: {
        inside: { type: "play", url: secret, next: "ours" },
        ours: { type: "play", url: `${system.baseUrl}/demo/chime.wav`, loop: 0 },
      },
    };
    const { sid: VoiceApplicationSid } = await system.post("Applications.json", {
      FriendlyName: "flow",
      Kind: "voice",
      Flow: JSON.stringify(flow),
    });
    const phone = await system.phone("alice");
    const [{ sid }] = await system.get("Clients.json?Login=alice");
    await system.post(`Clients/${sid}.json`, { VoiceApplicationSid });

    const alice = await talkAt(phone, "sip:service@localhost", 500);

    await alice.untilHears(chime, (levels) => levels.every((level) => level > 500));
    const notice = await eventually(
      "a Notification",
      async () => (await system.get("Notifications.json")).notifications[0],
    );
    assert.equal(notice.error_code, 13230);
    assert.ok(notice.message_text.includes(secret), notice.message_text);
    assert.match(notice.message_text, /is at a private address/);
    await alice.dialog.bye();
    await alice.close();

    await system.post(`Clients/${sid}.json`, {
      VoiceApplicationSid: "",
      VoiceUrl: `${app.url}/voice`,
    });
    const { status } = await phone.call("sip:service@localhost", { sdp: plainOffer(9) }).final;
    assert.equal(status, 500);
    const tried = await system.post("Webhooks/Tests.json", { Url: `${app.url}/voice` });
    assert.equal(tried.problems[0].error_code, 11210);
    assert.match(tried.problems[0].text, /private address/);
    assert.deepEqual(app.requests, []);
  },
});
