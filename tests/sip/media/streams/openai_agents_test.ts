import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import { type StreamConnection, streamServer } from "../../../support/media/stream_server.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { connectPlainPeer, isSound, soundOf } from "../../../support/sip/plain_peer.ts";

/**
 * The Twilio transport of OpenAI's agents library, as it is, between a stream and an endpoint of the
 * test's that speaks the Realtime API.
 */

let events = 0;

/** Sends an event, as the endpoint does. */
const tell = (endpoint: StreamConnection, event: Record<string, unknown>) =>
  endpoint.send({ event_id: `event_${++events}`, ...event });

/** Takes the session of an agent, as the endpoint does. */
function openSession(endpoint: StreamConnection): void {
  tell(endpoint, { type: "session.created", session: { id: "sess_1" } });
  endpoint.onMessage(({ type, session }) => {
    if (type === "session.update") tell(endpoint, { type: "session.updated", session });
  });
}

/** Sends speech of a tone faster than it is heard, as a model does. */
function answerWith(endpoint: StreamConnection, hz: number, seconds: number): void {
  const [response_id, item_id] = ["resp_1", "item_1"];
  const place = { response_id, item_id, output_index: 0, content_index: 0 };
  tell(endpoint, { type: "response.created", response: { id: response_id } });
  const audio = Buffer.from(encodeG711("PCMU", tone(hz, seconds)));
  for (let at = 0; at < audio.length; at += 4_000) {
    const delta = audio.subarray(at, at + 4_000).toString("base64");
    tell(endpoint, { type: "response.output_audio.delta", ...place, delta });
  }
  tell(endpoint, { type: "response.output_audio.done", ...place });
  tell(endpoint, { type: "response.done", response: { id: response_id, output: [] } });
}

const folder = new URL("../../../support/peers/openai_agents/", import.meta.url).pathname;

/** Starts the library's process; the URL of its server. */
async function startAgent(model: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--frozen",
      `--config=${folder}deno.json`,
      `${folder}agent.js`,
      model,
    ],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  return {
    url: `ws://127.0.0.1:${value.trim()}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await Promise.all([child.status, reader.cancel()]);
    },
  };
}

Deno.test({
  name: "an agent of OpenAI's library hears the caller, answers, and is interrupted by speech",
  timeout: 90_000,
  async fn() {
    await using model = await streamServer();
    await using agent = await startAgent(model.url);
    const place = { bindAddress: "127.0.0.1", host: "127.0.0.1", ports: { first: 0, last: 0 } };
    const engine = mediaEngine({
      transports: [rtpTransport({ ...place, now: systemClock.now })],
      log: () => {},
      reach: { mayReach: () => true },
    });
    const peer = await connectPlainPeer(engine, "PCMU");
    const timer = setInterval(() => peer.sendTone(500, { seconds: 0.02 }), 20);
    const hears = (count: number) =>
      peer.next(
        count,
        (packet) => isSound(packet) && amplitudeOf(900, soundOf("PCMU", [packet])) > 2_000,
      );
    try {
      peer.leg.stream({
        url: agent.url,
        headers: {},
        streamSid: `MZ${"1".repeat(32)}`,
        accountSid: `AC${"2".repeat(32)}`,
        callSid: `CA${"3".repeat(32)}`,
        tracks: ["inbound"],
        isBidirectional: true,
        encoding: "audio/x-mulaw",
        parameters: {},
        queueS: 120,
      }, { onOpen() {}, onProblem: (_, message) => assert.fail(message), onLost() {}, onEnd() {} });
      const endpoint = await model.next();
      openSession(endpoint);

      const { audio } = await endpoint.message(({ type }) => type === "input_audio_buffer.append");
      const heard = hears(30);
      answerWith(endpoint, 900, 10);
      await heard;
      tell(endpoint, {
        type: "input_audio_buffer.speech_started",
        item_id: "item_2",
        audio_start_ms: 500,
      });
      const truncated = await endpoint.message(({ type }) => type === "conversation.item.truncate");
      const after = await peer.next(10);

      assert.equal(Buffer.from(audio, "base64").length, 160);
      assert.equal(truncated.item_id, "item_1");
      assert.ok(
        truncated.audio_end_ms >= 550 && truncated.audio_end_ms < 5_000,
        `${truncated.audio_end_ms} ms`,
      );
      assert.ok(after.slice(4).every((packet) => !isSound(packet)), "the caller hears it still");
    } finally {
      clearInterval(timer);
      await engine.close();
      await peer.close();
    }
  },
});
