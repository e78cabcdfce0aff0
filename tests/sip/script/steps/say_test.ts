import assert from "node:assert/strict";
import type { Script } from "../../../../core/protocol/script.ts";
import type { SayStep } from "../../../../core/protocol/speech.ts";
import {
  type Speaker,
  SpeechRefused,
  type Utterance,
} from "../../../../sip/media/sources/speaker.ts";
import { sentences } from "../../../../sip/script/steps/sentences.ts";
import {
  invite,
  inviteScript,
  type SipLab,
  type SipLabOptions,
  sipTest,
  startSipLab,
} from "../../../support/sip/sip_lab.ts";
import { eventually } from "../../../support/process/eventually.ts";

const say = (text: string, own: Partial<SayStep> = {}): SayStep => ({
  type: "say",
  text,
  voice: "man",
  language: "en-GB",
  loop: 1,
  ...own,
});
const next: Script[number] = {
  type: "next",
  action: { url: "http://app.test/next", method: "POST", hops: 3 },
};
const long = "This is the first sentence, and it is long enough to stand alone. " +
  "This is the second one, which is of about the same length as well. And this ends it: goodbye.";

/** A speaker of so many samples for each piece, and what it was asked. */
function speaking(samples = 160) {
  const asked: Utterance[] = [];
  const speaker: Speaker = {
    speak(utterance) {
      asked.push(utterance);
      return Promise.resolve(new Int16Array(samples));
    },
  };
  return { asked, speaker };
}

/** Calls alice, who answers, and performs a script; resolves with the leg when it is answered. */
async function begin(lab: SipLab, script: Script) {
  const phone = await lab.phone("alice");
  const invitation = invite("alice");
  const scripts = [script];
  lab.service.answer = () => scripts.shift() ?? [];
  await lab.run(invitation.leg, inviteScript(invitation));
  const dialog = await (await phone.nextCall()).answer();
  return { leg: invitation.leg, dialog };
}

/** The events of a call that says something and goes on. */
async function performed(options: SipLabOptions, step: SayStep) {
  await using lab = await startSipLab(options);
  const { leg } = await begin(lab, [step, next]);
  await lab.service.event("ended", leg);
  const events = lab.service.reports.filter((report) => report.leg === leg)
    .map(({ event }) => event);
  return { events, played: lab.media.legs[0]!.played };
}

sipTest("say() plays a text sentence by sentence, and time passes", async () => {
  const { asked, speaker } = speaking();
  const { events, played } = await performed({ speaker }, say(long));

  assert.deepEqual(asked.map(({ text }) => text), sentences(long, "en-GB"));
  assert.ok(
    asked.length > 1 &&
      asked.every(({ voice, language }) => voice === "man" && language === "en-GB"),
  );
  assert.equal(played.length, asked.length);
  assert.ok(events.every(({ type }) => type !== "problem"));
  const went = events.find(({ type }) => type === "next");
  assert.equal(went?.type === "next" && went.action.hops, 0);
});

sipTest("say() repeats a text, and has it made once", async () => {
  const { asked, speaker } = speaking();
  const { played } = await performed({ speaker }, say("Hello.", { loop: 3 }));
  assert.deepEqual([asked.length, played.length], [1, 3]);
});

sipTest("say() has the next sentence made while one is heard", async () => {
  const { asked, speaker } = speaking();
  await using lab = await startSipLab({ speaker, slowMedia: true });
  const { leg, dialog } = await begin(lab, [say(long)]);
  const media = lab.media.legs[0]!;
  await eventually("it is heard", () => media.played.length > 0);
  assert.deepEqual([media.played.length, asked.length], [1, 2]);
  await dialog.bye();
  await lab.service.event("ended", leg);
  assert.equal(asked.length, 2);
});

sipTest("say() without end goes on until the caller hangs up", async () => {
  const { speaker } = speaking();
  await using lab = await startSipLab({ speaker, slowMedia: true });
  const { leg, dialog } = await begin(lab, [say("Hello.", { loop: 0 })]);
  const media = lab.media.legs[0]!;
  for (let round = 1; round <= 3; round++) {
    await eventually(`round ${round} is heard`, () => media.played.length >= round);
    media.finishPlaying();
  }
  await dialog.bye();
  await lab.service.event("ended", leg);
  const events = lab.service.reports.filter((report) => report.leg === leg);
  assert.ok(events.every(({ event }) => event.type !== "problem"));
});

const failures: [what: string, speaker: Speaker | undefined, message: RegExp][] = [
  ["nobody was set up", undefined, /^the operator has set up no speech \(SPEECH_URL\)$/],
  [
    "the provider fails",
    { speak: () => Promise.reject(new Error("no such voice")) },
    /no such voice/,
  ],
  ["there is nothing to hear", speaking(0).speaker, /nothing in the text that can be said/],
];
for (const [what, speaker, message] of failures) {
  sipTest(`say() reports a problem and goes on when ${what}`, async () => {
    const options = speaker === undefined ? {} : { speaker };
    const { events } = await performed(options, say("Hello.", { loop: 0 }));
    const problem = events.find(({ type }) => type === "problem");
    assert.ok(problem?.type === "problem" && problem.about === "speech");
    assert.match(problem.message, message);
    assert.ok(events.some(({ type }) => type === "next"));
  });
}

/** A speaker that refuses these, and what it was asked. */
function refusing(isRefused: (utterance: Utterance) => boolean) {
  const asked: Utterance[] = [];
  const speaker: Speaker = {
    speak(utterance) {
      asked.push(utterance);
      const error = new SpeechRefused(`no ${utterance.voice} in ${utterance.language}`);
      return isRefused(utterance) ? Promise.reject(error) : Promise.resolve(new Int16Array(160));
    },
  };
  return { asked, speaker };
}

sipTest(
  "say() says by the usual voice what the provider refuses in another, and tells",
  async () => {
    const { asked, speaker } = refusing(({ voice }) => voice === "alice");
    const { events, played } = await performed({ speaker }, say(long, { voice: "alice" }));

    assert.equal(played.length, sentences(long, "en-GB").length);
    assert.deepEqual(asked.map(({ voice }) => voice).slice(0, 3), ["alice", "woman", "woman"]);
    const problems = events.filter((event) => event.type === "problem");
    assert.deepEqual(problems.map(({ message }) => message), [
      'no alice in en-GB; it is said by "woman"',
    ]);
  },
);

sipTest("a voice that the provider refuses is requested and reported once in a call", async () => {
  const { asked, speaker } = refusing(({ voice }) => voice === "alice");
  await using lab = await startSipLab({ speaker });
  const texts = ["One.", "Two.", "Three."].map((text) => say(text, { voice: "alice" }));
  const { leg } = await begin(lab, [...texts, next]);
  await lab.service.event("ended", leg);

  assert.equal(asked.filter(({ voice }) => voice === "alice").length, 1);
  const told = lab.service.reports.filter(({ event }) => event.type === "problem");
  assert.equal(told.length, 1);
});

sipTest("say() tells once of what the provider refuses in every voice", async () => {
  const { speaker } = refusing(() => true);
  const { events, played } = await performed({ speaker }, say(long, { voice: "alice" }));

  assert.deepEqual(played, []);
  const problems = events.filter((event) => event.type === "problem");
  assert.deepEqual(problems.map(({ message }) => message), ["no alice in en-GB"]);
});

sipTest("gather() says its prompts, and a key ends them", async () => {
  const { speaker } = speaking();
  await using lab = await startSipLab({ speaker, slowMedia: true });
  const gather: Script[number] = {
    type: "gather",
    prompts: [say("Press a key.", { loop: 0 })],
    timeoutS: 5,
    keys: { start: "0123456789*#", finish: "#", most: 1 },
    action: next.action,
  };
  const { leg } = await begin(lab, [gather]);
  const media = lab.media.legs[0]!;
  await eventually("it is heard", () => media.played.length > 0);
  media.takeDigit("7");
  const { event } = await lab.service.event("gathered", leg);
  assert.ok(event.type === "gathered" && event.digits === "7");
  await lab.service.event("ended", leg);
});

Deno.test("sentences() keeps every word, in pieces of a fit length", () => {
  const words = (text: string) => text.split(/\s+/).filter(Boolean);
  const texts = [
    "Hello.",
    long,
    "Dr. Who? Yes! No. Well... It costs $3.50, e.g. today.",
    "word ".repeat(500),
    "clauses, many of them; ".repeat(100),
    "Ende. ".repeat(300),
    "今日は良い天気です。".repeat(100),
  ];
  for (const text of texts) {
    const pieces = sentences(text, "en-US");
    assert.deepEqual(words(pieces.join(" ")).join(""), words(text).join(""));
    assert.ok(pieces.every((piece) => piece.length > 0 && piece.length <= 400));
  }
  assert.deepEqual(sentences("a".repeat(900), "xx-invalid-tag-0").map((piece) => piece.length), [
    400,
    400,
    100,
  ]);
  assert.equal(sentences("😀".repeat(450), "en").join(""), "😀".repeat(450));
  assert.equal(sentences("Yes. No. Maybe. Good.", "en").length, 1);
  assert.equal(sentences("今日は良い天気です。".repeat(30), "ja").length > 1, true);
});
