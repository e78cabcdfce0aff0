import assert from "node:assert/strict";
import { decodeG711 } from "../../sip/media/codecs/g711.ts";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { firefoxTest } from "../support/browsers/firefox.ts";
import { softphonePageTest } from "../support/browsers/softphone_page_lab.ts";
import {
  type StreamConnection,
  type StreamMessage,
  streamServer,
} from "../support/media/stream_server.ts";
import { amplitudeOf } from "../support/media/tone.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { channelOf, readRecording, secondsOf } from "../support/service/recorded.ts";
import { startCompanion } from "../support/service/second_companion.ts";
import { answerTalking, callTalking } from "../support/sip/talking_phone.ts";

/** Audio streams of a leg to which something else is done meanwhile. */

const [ALICE, BOB, CAROL] = [500, 900, 1_300];

const samplesIn = ({ media }: StreamMessage) =>
  decodeG711("PCMU", Uint8Array.fromBase64(media.payload));

/** Resolves when a track brings, from now on, so many frames in a row that fit. */
async function brings(
  connection: StreamConnection,
  track: "inbound" | "outbound",
  fits: (samples: Int16Array) => boolean,
  frames = 10,
): Promise<void> {
  const before = new Set(connection.messages);
  let row = 0;
  await connection.message((message) => {
    if (before.has(message) || message.media?.track !== track) return false;
    row = fits(samplesIn(message)) ? row + 1 : 0;
    return row >= frames;
  });
}

const toneOf = (hz: number) => (samples: Int16Array) => amplitudeOf(hz, samples) > 700;
const silent = (samples: Int16Array) => samples.every((sample) => Math.abs(sample) < 200);
const sounding = (samples: Int16Array) => samples.some((sample) => Math.abs(sample) > 500);

/** A microphone of Chromium's beeps: it is on hold when it is silent for longer than its pauses. */
const betweenBeeps = 80;

/** Every frame of a track that was counted has come, in its order. */
function assertWhole({ messages }: StreamConnection, track: "inbound" | "outbound"): void {
  const chunks = messages.filter(({ media }) => media?.track === track)
    .map(({ media }) => Number(media.chunk));
  assert.deepEqual(chunks, chunks.map((_, at) => at + 1));
}

async function client(system: System, Login: string, VoiceUrl: string): Promise<void> {
  await system.post("Clients.json", { Login, Password: `${Login}-secret`, VoiceUrl });
}

Deno.test({
  name: "a stream follows its leg through hold and a transfer, beside a recording",
  timeout: 120_000,
  async fn() {
    await using app = startAppServer();
    await using server = await streamServer();
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    app.pages.set(
      "/alice",
      `<Response><Start><Recording channels="dual" recordingStatusCallback="/recorded"/>` +
        `<Stream url="${server.url}" track="both_tracks" statusCallback="/events"/></Start>` +
        "<Dial><Client>bob</Client></Dial></Response>",
    );
    await client(system, "alice", `${app.url}/alice`);
    const alice = await system.phone("alice");
    const bob = await system.phone("bob");
    const carol = await system.phone("carol");
    const ringing = callTalking(alice, "anybody");
    const bobs = await answerTalking(await bob.nextPlainCall());
    bobs.talking.say(BOB);
    const { talking, dialog } = await ringing;
    talking.say(ALICE);
    const copy = await server.next();
    await Promise.all([
      brings(copy, "inbound", toneOf(ALICE)),
      brings(copy, "outbound", toneOf(BOB)),
    ]);

    const offer = (direction: string, version: number) => ({
      sdp: talking.sdp.replace("o=- 1 1", `o=- 1 ${version}`) + `a=${direction}\r\n`,
    });
    assert.equal((await dialog.request("INVITE", offer("sendonly", 2))).status, 200);
    await brings(copy, "outbound", silent);
    assert.equal((await dialog.request("INVITE", offer("sendrecv", 3))).status, 200);
    await Promise.all([
      brings(copy, "inbound", toneOf(ALICE)),
      brings(copy, "outbound", toneOf(BOB)),
    ]);

    const { status } = await bobs.dialog.request("REFER", {
      headers: ["Refer-To: <sip:carol@localhost>"],
    });
    const carols = await answerTalking(await carol.nextPlainCall());
    carols.talking.say(CAROL);
    await Promise.all([
      brings(copy, "inbound", toneOf(ALICE)),
      brings(copy, "outbound", toneOf(CAROL)),
    ]);
    await dialog.bye();
    await copy.message(({ event }) => event === "stop");
    await app.asked("/events", ({ StreamEvent }) => StreamEvent === "stream-stopped");
    const done = await app.asked("/recorded");

    assert.equal(status, 202);
    assertWhole(copy, "inbound");
    assertWhole(copy, "outbound");
    const { samples } = readRecording(await (await fetch(done.RecordingUrl!)).bytes());
    const [said, heard] = [channelOf(samples, 0), channelOf(samples, 1)];
    assert.ok(secondsOf(ALICE, said) > 0.1);
    assert.ok(secondsOf(BOB, heard) > 0.1 && secondsOf(CAROL, heard) > 0.1);
    for (const one of [talking, bobs.talking, carols.talking]) await one.close();
  },
});

Deno.test({
  name: "a stream goes on when the companion of its leg's conference is killed",
  timeout: 120_000,
  async fn() {
    const env = { RTP_PORTS: "0" };
    await using app = startAppServer();
    await using server = await streamServer();
    await using system = await startSystem({ env });
    await using second = await startCompanion(system, env);
    const join = '<Dial><Conference beep="false">lobby</Conference></Dial>';
    app.pages.set("/bob", `<Response>${join}</Response>`);
    app.pages.set(
      "/alice",
      `<Response><Start><Stream url="${server.url}" track="both_tracks"/></Start>${join}` +
        "<Redirect>/after</Redirect></Response>",
    );
    app.pages.set("/after", '<Response><Pause length="60"/></Response>');
    await client(system, "alice", `${app.url}/alice`);
    await client(system, "bob", `${app.url}/bob`);
    const bobs = await callTalking(await second.phone("bob"), "sip:lobby@localhost");
    bobs.talking.say(BOB);
    const { talking, dialog } = await callTalking(await system.phone("alice"), "anybody");
    talking.say(ALICE);
    const copy = await server.next();
    await brings(copy, "outbound", toneOf(BOB));

    Deno.kill(second.pid(), "SIGKILL");
    await app.asked("/after");
    await Promise.all([brings(copy, "inbound", toneOf(ALICE)), brings(copy, "outbound", silent)]);

    assertWhole(copy, "inbound");
    assertWhole(copy, "outbound");
    assert.ok(copy.messages.every(({ event }) => event !== "stop"));
    await dialog.bye();
    for (const one of [talking, bobs.talking]) await one.close();
  },
});

for (
  const [browser, inBrowser] of [["Chromium", chromiumTest], ["Firefox", firefoxTest]] as const
) {
  softphonePageTest(
    `${browser} hears an echo by a stream, is heard at the server, and holds`,
    async ({ system, enter }) => {
      await using app = startAppServer();
      await using server = await streamServer();
      app.pages.set(
        "/voice",
        `<Response><Connect action="/after"><Stream url="${server.url}"/></Connect></Response>`,
      );
      app.pages.set("/after", '<Response><Pause length="60"/></Response>');
      const alice = await enter("alice");
      const [{ sid }] = await system.get("Clients.json?Login=alice");
      await system.post(`Clients/${sid}.json`, { VoiceUrl: `${app.url}/voice` });

      await alice.dial("agent");
      const connection = await server.next();
      let echoes = true;
      connection.onMessage(({ event, media }) => {
        if (event !== "media" || !echoes) return;
        connection.send({ event, media: { payload: media.payload } });
      });
      await brings(connection, "inbound", sounding, 2);
      await alice.hears();
      await alice.press("Hold");
      await brings(connection, "inbound", silent, betweenBeeps);
      await alice.press("Hold");
      await brings(connection, "inbound", sounding, 2);
      await alice.hears();
      echoes = false;
      connection.close();
      await app.asked("/after");

      assertWhole(connection, "inbound");
      await alice.press("Hang up");
      await alice.shows("You hung up");
    },
    inBrowser,
  );
}
