import assert from "node:assert/strict";
import { ofKind, parseSdp } from "../../sip/media/sdp/parse_sdp.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { askNg } from "../../sip/media/transports/ng.ts";
import { rtpengineSkipped, startRtpengine } from "../support/media/rtpengine.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

Deno.test({
  name: "a browser that calls is answered by the rtpengine of RTPENGINE, until its call ends" +
    rtpengineSkipped,
  ignore: rtpengineSkipped !== "",
  timeout: 240_000,
  async fn() {
    await using rtpengine = await startRtpengine();
    const { host, port } = rtpengine.address;
    await using app = startAppServer();
    app.pages.set("/listen", '<Response><Gather timeout="60"/></Response>');
    await using system = await startSystem({ env: { RTPENGINE: `${host}:${port}` } });
    const alice = await system.phone("alice");
    const [client] = await system.get("Clients.json?Login=alice");
    await system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${app.url}/listen` });
    const calls = async () => (await askNg(rtpengine.address, "list")).calls.length;

    const offer = webrtcAnswer("").replace("a=setup:active", "a=setup:actpass");
    const dialog = await alice.call("anybody", { sdp: offer }).answered;

    const [candidate = ""] = ofKind("webrtc", parseSdp(dialog.remoteSdp)).audio.candidates;
    const [, , , , address, ofCandidate] = candidate.split(" ");
    assert.equal(address, "127.0.0.1");
    assert.ok(Number(ofCandidate) >= 30_000 && Number(ofCandidate) < 40_000, candidate);
    assert.equal(await calls(), 1);
    await dialog.bye();
    await eventually("rtpengine has no call any more", async () => await calls() === 0);
  },
});
