import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { missingBaresip, startBaresip } from "../support/sip/baresip.ts";
import { openBrowserSoftphone } from "../support/browsers/browser_softphone.ts";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { channelOf, readRecording, secondsOf } from "../support/service/recorded.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, startSystem, type System } from "../support/process/system.ts";

/** Tones of Chromium's fake microphone and of baresip. */
const [CHROMIUM, BARESIP] = [400, 900];

async function recordingOf(system: System, isReady: (status: string) => boolean) {
  const { recordings } = await system.get("Recordings.json");
  const found = recordings[0] as { sid: string; status: string; file_uri: string } | undefined;
  return found !== undefined && isReady(found.status) && found;
}

/** Resolves when so many bytes of the newest recording are stored. */
const underWay = (system: System, bytes: number) =>
  eventually(`${bytes} bytes are kept`, async () => {
    const recording = await recordingOf(system, () => true);
    if (!recording) return false;
    const head = await fetch(recording.file_uri, { method: "HEAD" });
    return Number(head.headers.get("content-length")) > bytes;
  });

async function soundAt(url: string) {
  const file = await (await fetch(url)).bytes();
  return readRecording(file);
}

chromiumTest(
  "the WAV has the audio of Chromium and baresip, and the Record that of Chromium",
  async (browser) => {
    await using app = startAppServer();
    const [port] = freePorts(1) as [number];
    await using system = await startSystem({
      env: { RTP_PORTS: "0", SIP_UDP_PORT: String(port) },
    });
    app.pages.set(
      "/voice",
      '<Response><Dial action="/alone" record="true"><Client>bob</Client></Dial></Response>',
    );
    app.pages.set(
      "/alone",
      '<Response><Record action="/done" playBeep="false" maxLength="8"/></Response>',
    );
    const client = (login: string, more = {}) =>
      system.post("Clients.json", { Login: login, Password: `${login}-secret`, ...more });
    await client("alice", { VoiceUrl: `${app.url}/voice` });
    const { sid } = await client("bob");
    const [domain, transport] = ["localhost", "udp"] as const;
    const registrar = { host: "127.0.0.1", port };
    await using bob = await startBaresip({
      login: "bob",
      domain,
      transport,
      registrar,
      saysHz: BARESIP,
    });
    await eventually(
      "baresip is registered",
      async () => (await system.get(`Clients/${sid}/Bindings.json`)).length > 0,
    );
    const account = { login: "alice", password: "alice-secret", domain, wsUrl: system.wsUrl };
    const alice = await openBrowserSoftphone(browser, "sip.js", account);
    await alice.register();

    await alice.call("anybody");
    await alice.awaitTone(BARESIP);
    await underWay(system, 3 * 32_000);
    await bob.stop();

    const alone = await app.asked("/alone");
    const talk = await soundAt(alone.RecordingUrl!);
    const [hers, his] = [channelOf(talk.samples, 0), channelOf(talk.samples, 1)];
    assert.deepEqual([talk.channels, talk.sampleRate], [2, 8_000]);
    assert.ok(secondsOf(CHROMIUM, hers) > 0.1, `${secondsOf(CHROMIUM, hers)} s of Chromium`);
    assert.ok(secondsOf(BARESIP, his) > 1, `${secondsOf(BARESIP, his)} s of baresip`);
    assert.ok(secondsOf(BARESIP, hers) < 0.1 && secondsOf(CHROMIUM, his) < 0.1, "each on its own");

    const done = await app.asked("/done");
    const { channels, samples } = await soundAt(done.RecordingUrl!);
    assert.equal(channels, 1);
    assert.ok(secondsOf(CHROMIUM, samples) > 0.1, `${secondsOf(CHROMIUM, samples)} s`);
    await alice.waitFor("ended");
    await alice.close();
  },
  missingBaresip,
);
