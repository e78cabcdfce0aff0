import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { encodeG711 } from "../../../sip/media/codecs/g711.ts";
import type { Recogniser } from "../../../sip/media/sources/recogniser.ts";
import { gatherStep } from "../../support/sip/gather_lab.ts";
import { isSound, plainOffer, plainSocket, portOf } from "../../support/sip/plain_peer.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { framesOf, inTurn, silence, speech } from "../../support/media/synthetic_speech.ts";
import { tone } from "../../support/media/tone.ts";
import { workerEngine } from "../../support/media/worker_engine.ts";

const codes = "0123456789*#";

/** Alice calls by plain RTP, and is given one script after another; the prompt is a tone of 10 s. */
async function calling(scripts: Script[], recogniser?: Recogniser) {
  const lab = await startSipLab({
    engine: await workerEngine(),
    loadAudio: () => Promise.resolve(tone(440, 10)),
    ...recogniser && { recogniser },
  });
  const socket = await plainSocket();
  const left = [...scripts];
  lab.service.answer = () => left.shift() ?? [{ type: "hangup" }];
  const alice = await lab.phone("alice");
  const dialog = await alice.call("anything", { sdp: plainOffer(socket.port) }).answered;
  const to = portOf(dialog.remoteSdp);
  let timestamp = 90_000;
  return {
    lab,
    dialog,
    socket,
    to,
    /** A key as RFC 4733 has it: three packets while it is pressed and three at its end. */
    press(key: string) {
      timestamp += 1_600;
      for (let part = 0; part < 6; part++) {
        const flags = (part < 3 ? 0 : 0x80) | 10;
        const payload = Uint8Array.of(codes.indexOf(key), flags, 0, 160 * Math.min(part + 1, 4));
        socket.send(to, { payloadType: 101, marker: part === 0, payload, timestamp });
      }
    },
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await socket.close();
    },
  };
}

sipTest("gather() takes keys from RTP, stops the prompt, and digits go out by RTP", async () => {
  await using call = await calling([
    [{ type: "answer" }, gatherStep()],
    [{ type: "digits", digits: "5#", loop: 1 }, { type: "silence", seconds: 60 }],
  ]);
  call.socket.send(call.to);
  await call.socket.next(3, isSound); // The prompt.
  const sent = call.socket.next(2, ({ payloadType, marker }) => payloadType === 101 && marker);
  for (const key of "12#") call.press(key);
  const { event } = await call.lab.service.event("gathered");
  const pressed = (await sent).map(({ payload }) => codes[payload[0]!]);
  const after = await call.socket.next(5, ({ payloadType }) => payloadType === 0);

  assert.equal(event.digits, "12");
  assert.deepEqual(pressed, ["5", "#"]);
  assert.deepEqual(after.filter(isSound), []);
});

sipTest("gather() hears what is said by RTP over the prompt", async () => {
  const heard: number[] = [];
  const recogniser: Recogniser = {
    recognise: (pcm) => {
      heard.push(pcm.length / 8_000);
      return Promise.resolve({ text: "hello", confidence: 1 });
    },
  };
  const { keys: _, ...step } = gatherStep({ speech: { language: "en-US", hints: [] } });
  await using call = await calling([[{ type: "answer" }, step]], recogniser);
  call.socket.send(call.to);
  await call.socket.next(3, isSound);
  const frames = framesOf(inTurn(silence(0.5), speech(1), silence(2)));
  const began = performance.now();
  for (const [number, frame] of frames.entries()) {
    const due = began + number * 20 - performance.now();
    if (due > 0) await new Promise((wake) => setTimeout(wake, due));
    const timestamp = 200_000 + number * 160;
    call.socket.send(call.to, { payload: encodeG711("PCMU", frame), payloadType: 0, timestamp });
  }
  const { event } = await call.lab.service.event("gathered");

  assert.equal(event.speech?.text, "hello");
  assert.ok(heard[0]! > 1.5 && heard[0]! < 3.3, `${heard[0]} s`);
});
