import assert from "node:assert/strict";
import { createTimers } from "../../../sip/base/timers.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import {
  type ConversationOutput,
  createConversationOutput,
  type Manner,
  type Token,
} from "../../../sip/script/conversation_output.ts";
import { eventually } from "../../support/process/eventually.ts";

/** A talk whose sounds last until the test ends them: 10 ms for each character. */
function lab() {
  const timers = createTimers();
  const said: string[] = [];
  const told: string[] = [];
  let now = 0;
  let finish = () => {};
  const labels = new WeakMap<Int16Array, string>();
  const labelled = (label: string, samples: number) => {
    const pcm = new Int16Array(samples);
    labels.set(pcm, label);
    return Promise.resolve(pcm);
  };
  const talk: ConversationOutput = createConversationOutput({
    speak(text, language) {
      if (text.startsWith("fail")) return Promise.reject(new Error(text));
      return labelled(`${language} ${text}`, 80 * text.length);
    },
    load: (source) => labelled(source, 800),
    play(pcm, { loop, signal }) {
      said.push(`${labels.get(pcm)}${loop > 1 ? ` x${loop}` : ""}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      finish = () => {
        now += pcm.length / 8 * loop;
        resolve();
      };
      signal.addEventListener("abort", () => resolve(), { once: true });
      return promise;
    },
    press(digits) {
      said.push(`keys ${digits}`);
      return Promise.resolve();
    },
    timers,
    now: () => now,
    onSpeaking: (isSpeaking) => told.push(isSpeaking ? "on" : "off"),
    onPlayed: (text) => told.push(text),
    onProblem: (error) => told.push(String(error)),
  });
  return {
    talk,
    said,
    told,
    /** Resolves when so many were begun; ends the one before each. */
    async saying(count: number) {
      await eventually(`${count} are said`, () => {
        if (said.length < count) finish();
        return said.length >= count;
      });
    },
    pass: (ms: number) => now += ms,
    finish: () => finish(),
    [Symbol.dispose]() {
      talk.stop();
      timers.clear();
    },
  };
}

const usual: Manner = { interruptible: "any", isPreemptible: false };
const token = (token: string, own: Partial<Token> = {}): Token => ({
  token,
  isLast: false,
  language: "en-US",
  ...usual,
  ...own,
});
const first = "This is a sentence of a fit length, and it has an end.";
const second = "That is another one, which is about as long as the first.";

Deno.test("createConversationOutput() says a sentence as soon as its tokens are there", async () => {
  using made = lab();

  for (const word of first.split(/(?= )/)) made.talk.text(token(word));
  assert.deepEqual(made.said, []);
  made.talk.text(token(` ${second}`));
  await made.saying(1);
  made.talk.text(token("", { isLast: true }));
  await made.saying(2);

  assert.deepEqual(made.said, [`en-US ${first}`, `en-US ${second}`]);
  assert.deepEqual(made.told, ["on", first]);
});

Deno.test("createConversationOutput() says the rest of a text that stops without an end", async () => {
  using made = lab();

  made.talk.text(token("One moment"));
  await made.saying(1);

  assert.deepEqual(made.said, ["en-US One moment"]);
});

Deno.test("createConversationOutput() tells what was heard before an interruption, in whole words", async () => {
  using made = lab();
  made.talk.text(token(`${first} ${second}`, { isLast: true }));
  await made.saying(2);
  made.pass(10 * "That is anoth".length);

  const heard = made.talk.interrupt("speech");

  assert.deepEqual(heard, { text: `${first} That is`, ms: 10 * (first.length + 13) });
  await eventually("it is quiet", () => made.told.includes("off"));
  assert.deepEqual(made.told, ["on", first, "That is", "off"]);
  assert.equal(made.talk.isSpeaking, false);
  assert.equal(made.talk.interrupt("speech"), undefined);
});

Deno.test("createConversationOutput() drops what comes of an interrupted text, until it ends or the turn changes", async () => {
  using made = lab();
  made.talk.text(token(`${first} `));
  made.talk.text(token("Tell"));
  await made.saying(1);
  made.talk.interrupt("dtmf");
  await eventually("it is quiet", () => !made.talk.isSpeaking);

  made.talk.text(token(" me more.", { isLast: true }));
  made.talk.text(token("New text.", { isLast: true }));
  await made.saying(2);
  made.talk.text(token(`${first} `));
  made.talk.text(token("Tell"));
  await made.saying(3);
  made.talk.interrupt("speech");
  made.talk.takeTurn();
  made.talk.text(token("An answer.", { isLast: true }));
  await made.saying(4);

  assert.deepEqual(made.said.slice(1), ["en-US New text.", `en-US ${first}`, "en-US An answer."]);
});

for (
  const [interruptible, by, isInterrupted] of [
    ["none", "speech", false],
    ["none", "dtmf", false],
    ["speech", "speech", true],
    ["speech", "dtmf", false],
    ["dtmf", "dtmf", true],
    ["dtmf", "speech", false],
    ["any", "speech", true],
  ] as const
) {
  Deno.test(`createConversationOutput() ${isInterrupted ? "ends" : "keeps"} a text of ${interruptible} at ${by}`, async () => {
    using made = lab();
    made.talk.text(token(first, { isLast: true, interruptible }));
    await made.saying(1);

    const heard = made.talk.interrupt(by);

    assert.equal(heard !== undefined, isInterrupted);
  });
}

Deno.test("createConversationOutput() keeps what waits and is not to be interrupted", async () => {
  using made = lab();
  made.talk.text(token(first, { isLast: true }));
  made.talk.text(token(second, { isLast: true }));
  made.talk.text(token("A warning.", { isLast: true, interruptible: "none" }));
  await made.saying(1);

  made.talk.interrupt("speech");
  await made.saying(2);

  assert.deepEqual(made.said, [`en-US ${first}`, "en-US A warning."]);
});

Deno.test("createConversationOutput() has a text take the place of one that is preemptible", async () => {
  using made = lab();
  made.talk.text(token(`${first} ${second}`, { isLast: true, isPreemptible: true }));
  await made.saying(1);

  made.talk.text(token("News.", { isLast: true }));
  await made.saying(2);
  made.talk.sound({ source: "http://app.test/a.wav", loop: 2, ...usual });
  made.talk.digits("12#");
  await made.saying(4);

  assert.deepEqual(made.said, [
    `en-US ${first}`,
    "en-US News.",
    "http://app.test/a.wav x2",
    "keys 12#",
  ]);
});

Deno.test("createConversationOutput() goes on after a text that cannot be said", async () => {
  using made = lab();
  made.talk.text(token("fail", { isLast: true }));
  made.talk.text(token("Hallo.", { isLast: true, language: "de-DE" }));

  await made.saying(1);

  assert.deepEqual(made.said, ["de-DE Hallo."]);
  assert.equal(made.told[0], "Error: fail");
});

Deno.test("createConversationOutput() refuses what is too much, and takes more once some was said", async () => {
  using made = lab();
  const long = `${"word ".repeat(sipLimits.conversation.waitingLength / 5 - 100)}end.`;

  assert.equal(made.talk.text(token(long, { isLast: true })), true);
  assert.equal(made.talk.text(token(long, { isLast: true })), false);
  await made.saying(30);
  assert.equal(made.talk.text(token(long.slice(-5_000), { isLast: true })), true);
});
