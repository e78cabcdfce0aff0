import assert from "node:assert/strict";
import type { GatherStep } from "../../../../core/protocol/gather.ts";
import type { Script } from "../../../../core/protocol/script.ts";
import type { Pcm } from "../../../../sip/media/base/port.ts";
import type { Recogniser } from "../../../../sip/media/sources/recogniser.ts";
import { action, gatherStep, startGathering } from "../../../support/sip/gather_lab.ts";
import { sipTest } from "../../../support/sip/sip_lab.ts";
import { framesOf, inTurn, silence, speech } from "../../../support/media/synthetic_speech.ts";

const wait: Script[number] = { type: "silence", seconds: 60 };
const after: Script[number] = { type: "play", url: "http://app.test/after.wav", loop: 1 };
const callback = { url: "http://app.test/partial", method: "POST" } as const;

/** A step that takes words, and no keys unless told. */
function spoken(known: Partial<GatherStep> = {}): GatherStep {
  const { keys: _, ...step } = gatherStep({
    speech: { language: "de-DE", hints: ["ja", "nein"] },
    ...known,
  });
  return known.keys === undefined ? step : { ...step, keys: known.keys };
}

type Recognise = Recogniser["recognise"];

/** A recogniser that keeps what it was asked. */
function recogniser(recognise: (number: number) => ReturnType<Recognise>) {
  const asked: { seconds: number; language: string; hints: readonly string[] }[] = [];
  return {
    asked,
    recognise: (...[pcm, options]: Parameters<Recognise>) => {
      asked.push({ seconds: pcm.length / 8_000, ...options });
      return recognise(asked.length);
    },
  };
}

const said = (seconds: number): Pcm => inTurn(silence(0.5), speech(seconds), silence(1.5));
const words = { text: "ja bitte", confidence: 0.75 };

/** As if the caller said it, all at once. */
function say(call: Awaited<ReturnType<typeof startGathering>>, pcm: Pcm): void {
  for (const frame of framesOf(pcm)) call.ours.hear(frame);
}

sipTest("gather() has what is said recognised, and tells the words", async () => {
  const ears = recogniser(() => Promise.resolve(words));
  await using call = await startGathering([[spoken()], [wait]], {
    recogniser: ears,
    slowMedia: true,
  });
  await call.prompted();
  say(call, said(1));
  const { event } = await call.lab.service.event("gathered", call.leg);

  const [asked] = ears.asked;
  assert.deepEqual([asked?.language, asked?.hints], ["de-DE", ["ja", "nein"]]);
  assert.ok(asked!.seconds > 2 && asked!.seconds < 2.6, `${asked?.seconds}`);
  const told = { ...action, hops: 0 };
  assert.deepEqual(event, { type: "gathered", digits: "", speech: words, action: told });
  assert.equal(call.ours.listeners, 0);
});

sipTest("gather() listens on after an utterance without words, to three at most", async () => {
  const ears = recogniser(() => Promise.resolve(null));
  await using call = await startGathering([[spoken({ timeoutS: 2 }), after, wait]], {
    recogniser: ears,
  });
  await call.prompted();
  for (let time = 0; time < 4; time++) {
    say(call, said(0.5));
    await call.phone.request("INFO"); // The recogniser has answered by now.
  }
  await call.asked("http://app.test/after.wav");

  assert.equal(ears.asked.length, 3);
  assert.deepEqual(call.events("gathered"), []);
});

sipTest("gather() prefers what is typed to what is said", async () => {
  const late = Promise.withResolvers<typeof words>();
  const ears = recogniser(() => late.promise);
  const keys = { start: "123", finish: "#", most: 2 };
  await using call = await startGathering([[spoken({ keys })], [wait]], { recogniser: ears });
  await call.prompted();
  say(call, said(1));
  call.ours.press("1");
  late.resolve(words);
  call.ours.press("2");
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.deepEqual(event, { type: "gathered", digits: "12", action: { ...action, hops: 0 } });
});

sipTest("gather() tells what was said so far while the caller speaks", async () => {
  const ears = recogniser((number) => Promise.resolve({ text: `word ${number}`, confidence: 0.5 }));
  const step = spoken({ speech: { language: "en-US", hints: [], partials: callback } });
  await using call = await startGathering([[step], [wait]], { recogniser: ears });
  await call.prompted();
  const whole = said(4);
  const [first, second, rest] = [whole.slice(0, 24_000), whole.slice(24_000, 36_000), silence(2)];
  for (const part of [first, second, rest]) {
    say(call, part);
    await call.phone.request("INFO");
  }
  const { event } = await call.lab.service.event("gathered", call.leg);

  const partial = { type: "partial", confidence: 0.5, callback };
  assert.deepEqual(call.events("partial"), [
    { ...partial, text: "word 1", number: 0 },
    { ...partial, text: "word 2", number: 1 },
  ]);
  assert.equal(event.speech?.text, "word 3");
});

const problem = (message: string) => ({ type: "problem", url: "", message, about: "recognition" });

sipTest("gather() reports the lack of speech recognition, and takes keys alone", async () => {
  const keys = { start: "1", finish: "#", most: 1 };
  await using call = await startGathering([[spoken({ keys })], [wait]]);
  await call.prompted();
  call.ours.press("1");
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.equal(event.digits, "1");
  assert.deepEqual(call.events("problem"), [
    problem("the operator has set up no speech recognition"),
  ]);
});

sipTest(
  "gather() goes on at once when nobody understands speech and keys are no input",
  async () => {
    await using call = await startGathering([[spoken(), after, wait]]);
    await call.asked("http://app.test/after.wav");

    assert.equal(call.ours.played.length, 1);
  },
);

sipTest("gather() reports a recogniser that fails, and goes on", async () => {
  const ears = recogniser(() => Promise.reject(new Error("Cannot recognise: out of order")));
  await using call = await startGathering([[spoken({ timeoutS: 1 }), after, wait]], {
    recogniser: ears,
  });
  await call.prompted();
  say(call, said(1));
  await call.asked("http://app.test/after.wav");

  assert.deepEqual(call.events("problem"), [problem("Cannot recognise: out of order")]);
});

sipTest("gather() stops a recognition whose result is not awaited any more", async () => {
  const aborted = Promise.withResolvers<void>();
  const ears: Recogniser = {
    recognise: (_pcm, _options, signal) => {
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => {});
    },
  };
  await using call = await startGathering([[spoken()]], { recogniser: ears });
  await call.prompted();
  say(call, said(1));
  await call.lab.run(call.leg, [{ type: "hangup" }]);
  await aborted.promise;
  await call.lab.service.event("ended", call.leg);

  assert.deepEqual(call.events("gathered"), []);
});
