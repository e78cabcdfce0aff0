import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { isSound, plainOffer, plainSocket, portOf } from "../support/sip/plain_peer.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { tone } from "../support/media/tone.ts";
import { pcmFile } from "../support/media/wav_file.ts";

const document = (body: string) => `<Response>${body}</Response>`;

Deno.test({
  name: "a caller types into a menu, and is moved by REST out of a Gather and out of a Play",
  timeout: 240_000,
  async fn() {
    await using app = startAppServer();
    const play = '<Play loop="0">/tone.wav</Play>';
    app.pages.set("/menu", document(`<Gather action="/typed" finishOnKey="#">${play}</Gather>`));
    app.pages.set("/typed", document(`<Gather timeout="60">${play}</Gather>`));
    app.pages.set("/moved", document(play));
    app.pages.set("/again", document('<Pause length="60"/>'));
    app.pages.set("/tone.wav", pcmFile(tone(440, 1)));
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    const alice = await system.phone("alice");
    const [client] = await system.get("Clients.json?Login=alice");
    await system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${app.url}/menu` });
    const socket = await plainSocket();

    const call = alice.call("menu", { sdp: plainOffer(socket.port) });
    const dialog = await call.answered;
    socket.send(portOf(dialog.remoteSdp));
    await socket.next(3, isSound);
    const { CallSid: sid } = await app.asked("/menu");
    for (const key of "42#") {
      await dialog.request("INFO", {
        body: { type: "application/dtmf-relay", content: `Signal=${key}\r\n` },
      });
    }
    const { Digits } = await app.asked("/typed");
    await system.post(`Calls/${sid}.json`, { Url: `${app.url}/moved` });
    await app.asked("/moved");
    await socket.next(3, isSound);
    await system.post(`Calls/${sid}.json`, { Url: `${app.url}/again` });
    await app.asked("/again");
    await system.post(`Calls/${sid}.json`, { Status: "completed" });
    const bye = await dialog.ended;
    await eventually(
      "the call is over",
      async () => (await system.get(`Calls/${sid}.json`)).status === "completed",
    );
    await socket.close();

    assert.equal(Digits, "42");
    assert.equal(bye.method, "BYE");
    assert.equal(app.sent("/typed").length, 1);
  },
});
