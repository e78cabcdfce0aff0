import assert from "node:assert/strict";
import type {
  ConversationSettings,
  ConversedEvent,
  ConverseStep,
} from "../../../core/protocol/streams.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { readMessage } from "../../../sip/script/conversation_messages.ts";
import type { Pcm } from "../../../sip/media/base/port.ts";
import type { Utterance } from "../../../sip/media/sources/speaker.ts";
import { mediaLimits } from "../../../sip/media/base/limits.ts";
import { socketWorkers } from "../../../sip/media/server_socket/socket_workers.ts";
import { flood, floodFrames } from "../../support/media/flood.ts";
import { streamServer } from "../../support/media/stream_server.ts";
import { framesOf, inTurn, silence, speech } from "../../support/media/synthetic_speech.ts";
import { eventually } from "../../support/process/eventually.ts";
import { startGathering } from "../../support/sip/gather_lab.ts";
import { type SipLabOptions, sipTest } from "../../support/sip/sip_lab.ts";

const action = { url: "http://app.test/next", method: "POST", hops: 1 } as const;
const wait: Script[number] = { type: "silence", seconds: 60 };
const sid = `VX${"0".repeat(32)}`;

const usual: ConversationSettings = {
  interruptible: "any",
  interruptAfterMs: 0,
  reported: "none",
  isPreemptible: false,
  hasDigits: true,
  events: [],
  speech: { language: "en-US", voice: { voice: "woman" }, voices: {} },
  hearing: { language: "en-US", hints: ["yes"], hasPartials: false },
};

/** A call in a conversation with a server of the test. */
async function talking(own: Partial<ConversationSettings> = {}, options: SipLabOptions = {}) {
  const server = await streamServer();
  const spoken: Utterance[] = [];
  const heard: string[] = [];
  const step: ConverseStep = {
    type: "converse",
    conversation: {
      sid,
      url: `${server.url}/relay?room=7`,
      headers: { "x-twilio-signature": "signed" },
      setup: { type: "setup", sessionId: sid },
      settings: { ...usual, ...own },
    },
    action,
  };
  const call = await startGathering([[step], [wait]], {
    slowMedia: true,
    reach: { mayReach: () => true },
    speaker: {
      speak(utterance) {
        spoken.push(utterance);
        return Promise.resolve(new Int16Array(8 * 60_000));
      },
    },
    recogniser: {
      recognise(_, { language }) {
        heard.push(language);
        return Promise.resolve({ text: "good morning", confidence: 1 });
      },
    },
    ...options,
  });
  const agent = await server.next();
  await agent.message(({ type }) => type === "setup");
  await eventually("it listens", () => call.ours.listeners === 1 || options.recogniser === null);
  const hear = (...parts: Pcm[]) =>
    framesOf(inTurn(...parts)).forEach((frame) => call.ours.hear(frame));
  return {
    call,
    agent,
    spoken,
    heard,
    saying: () => eventually("something is said", () => call.ours.playing),
    hear,
    say: (seconds: number) => hear(silence(0.5), speech(seconds), silence(1.5)),
    async ended(): Promise<ConversedEvent> {
      const { event } = await call.lab.service.event("conversed", call.leg);
      return event as ConversedEvent;
    },
    async [Symbol.asyncDispose]() {
      await call[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const text = (token: string, own = {}) => ({ type: "text", token, last: true, ...own });
const ofType = (wanted: string) => ({ type }: { type?: string }) => type === wanted;

sipTest(
  "converse() greets, passes words and keys on, and ends with what is handed over",
  async () => {
    await using made = await talking({ greeting: { text: "Welcome.", interruptible: "any" } });
    const { agent, call, spoken } = made;
    await made.saying();
    call.ours.finishPlaying();
    await eventually("it is quiet", () => !call.ours.playing);

    made.say(1);
    const prompt = await agent.message(ofType("prompt"));
    call.ours.press("5");
    const dtmf = await agent.message(ofType("dtmf"));
    agent.send({ type: "end", handoffData: '{"to":"sales"}' });
    const event = await made.ended();

    assert.equal(agent.path, "/relay?room=7");
    assert.equal(agent.headers["x-twilio-signature"], "signed");
    assert.deepEqual(spoken[0], { text: "Welcome.", voice: "woman", language: "en-US" });
    assert.deepEqual(prompt, {
      type: "prompt",
      voicePrompt: "good morning",
      lang: "en-US",
      last: true,
    });
    assert.deepEqual(dtmf, { type: "dtmf", digit: "5" });
    assert.deepEqual(
      [event.how, event.handoffData, event.sid, event.action?.url],
      ["ended", '{"to":"sales"}', sid, action.url],
    );
    assert.equal(await agent.closed, 1000);
    assert.equal(call.ours.listeners, 0);
  },
);

sipTest(
  "converse() ends what it says when the caller speaks, and tells what was heard",
  async () => {
    const events = ["speaker-events", "tokens-played"] as const;
    await using made = await talking({ events: [...events] });
    const { agent, call } = made;
    agent.send(text("Life is a complex set of many things, and it goes on for long."));
    await made.saying();

    made.say(1);
    await agent.message(ofType("prompt"));

    assert.equal(call.ours.playing, false);
    const told = agent.messages.slice(1).map((message) =>
      message.name === undefined ? message.type : `${message.name} ${message.value}`
    );
    assert.deepEqual(told, [
      "agentSpeaking on",
      "clientSpeaking on",
      "interrupt",
      "clientSpeaking off",
      "agentSpeaking off",
      "prompt",
    ]);
    const { utteranceUntilInterrupt, durationUntilInterruptMs } = agent.messages[3]!;
    assert.equal(utteranceUntilInterrupt, ""); // All was said in no time.
    assert.ok(Number.isInteger(durationUntilInterruptMs), `${durationUntilInterruptMs}`);
  },
);

sipTest("converse() is interrupted by a caller that goes on after a rest", async () => {
  await using made = await talking();
  const { agent, call, hear } = made;
  hear(silence(0.5), speech(1), silence(0.6));
  agent.send(text("An answer before the caller has ended."));
  await made.saying();

  hear(speech(1), silence(1.5));
  await agent.message(ofType("interrupt"));
  await agent.message(ofType("prompt"));

  assert.equal(call.ours.playing, false);
  assert.equal(agent.messages.filter(ofType("prompt")).length, 1);
});

for (const reported of ["none", "speech", "dtmf", "any"] as const) {
  sipTest(
    `converse() passes on what does not interrupt, where ${reported} is reported`,
    async () => {
      await using made = await talking({ interruptible: "none", reported });
      const { agent, call } = made;
      agent.send(text("Nothing interrupts this."));
      await made.saying();

      made.say(1);
      call.ours.press("1");
      agent.send({ type: "unknown" });
      await agent.message(ofType("error"));
      await call.phone.request("INFO"); // The recogniser has answered by now.

      const types = agent.messages.map(({ type }) => type);
      assert.equal(types.includes("prompt"), reported === "speech" || reported === "any");
      assert.equal(types.includes("dtmf"), reported === "dtmf" || reported === "any");
      assert.ok(!types.includes("interrupt"));
      assert.equal(call.ours.playing, true);
    },
  );
}

sipTest("converse() does not let short speech interrupt where it is less sensitive", async () => {
  await using made = await talking({ interruptAfterMs: 1_500 });
  const { agent, call } = made;
  agent.send(text("Only long speech interrupts this."));
  await made.saying();

  made.say(0.5);
  assert.equal(call.ours.playing, true);
  made.say(4);
  await agent.message(ofType("interrupt"));

  assert.equal(call.ours.playing, false);
});

sipTest("converse() changes languages and voices, plays sounds and sends digits", async () => {
  const loaded: string[] = [];
  const own = { speech: { ...usual.speech, voices: { "de-DE": { voice: "man" } } } };
  await using made = await talking(own, {
    slowMedia: false,
    loadAudio(url) {
      loaded.push(url);
      return Promise.resolve(new Int16Array(160));
    },
  });
  const { agent, call, spoken, heard } = made;

  agent.send({ type: "language", ttsLanguage: "de-DE", transcriptionLanguage: "fr-FR" });
  agent.send(text("Guten Tag."));
  agent.send(text("Hola.", { lang: "es-ES" }));
  agent.send({ type: "play", source: "https://app.test/a.wav", loop: 2 });
  agent.send({ type: "sendDigits", digits: "12w#" });
  await eventually("digits are sent", () => call.ours.sentDigits.length === 1);
  made.say(1);
  const { lang } = await agent.message(ofType("prompt"));

  assert.deepEqual(
    spoken.map(({ language, voice }) => `${language} ${voice}`),
    ["de-DE man", "es-ES woman"],
  );
  assert.deepEqual(loaded, ["https://app.test/a.wav"]);
  assert.deepEqual(call.ours.played.at(-1), { samples: 160, loop: 2 });
  assert.deepEqual(call.ours.sentDigits, ["12w#"]);
  assert.deepEqual([lang, heard], ["fr-FR", ["fr-FR"]]);
});

const invalid: [text: string, why: RegExp][] = [
  ["no JSON", /Invalid message received: no JSON/],
  ['{"type":"text"}', /token/],
  ['{"type":"text","token":"x","lang":"?"}', /lang: must be a language tag/],
  ['{"type":"play","source":"file:///etc/passwd"}', /source/],
  ['{"type":"sendDigits","digits":"x"}', /digits/],
  [`{"type":"end","handoffData":"${"x".repeat(16_001)}"}`, /handoffData/],
];

sipTest("converse() says what is wrong with a message, and goes on", async () => {
  await using made = await talking();
  const { agent } = made;

  for (const [index, [sent, why]] of invalid.entries()) {
    agent.sendText(sent);
    await eventually("an error", () => agent.messages.filter(ofType("error")).length > index);
    assert.match(agent.messages.at(-1)!.description, why);
  }
  agent.send({ type: "end" });

  assert.equal((await made.ended()).how, "ended");
});

sipTest(
  "converse() goes on with a server that sends no valid messages, and tells it once",
  async () => {
    await using made = await talking();
    const { agent } = made;
    for (let i = 0; i < 200; i++) agent.sendText(`{"i":${i}}`);
    await eventually(
      "all are answered",
      () => agent.messages.filter(ofType("error")).length === 200,
    );
    agent.send({ type: "end" });
    assert.equal((await made.ended()).how, "ended");
    const problems = made.call.events("problem") as { about?: string; url?: string }[];
    assert.deepEqual(
      problems.map(({ about }) => about),
      ["messages"],
    );
    assert.match(problems[0]!.url!, /^ws:.*relay/);
  },
);

Deno.test("readMessage() reads numbers and booleans of a conversation in any form", () => {
  const messages: [sent: string, read: unknown][] = [
    ['{"type":"text","token":7615917337495251231,"last":"true"}', {
      type: "text",
      token: "7615917337495251231",
      last: true,
    }],
    ['{"type":"sendDigits","digits":1234}', { type: "sendDigits", digits: "1234" }],
    ['{"type":"play","source":"https://app.test/a.wav","loop":"2","interruptible":"false"}', {
      type: "play",
      source: "https://app.test/a.wav",
      loop: 2,
      interruptible: "none",
    }],
    ['{"type":"end","handoffData":1.50}', { type: "end", handoffData: "1.50" }],
  ];
  for (const [sent, read] of messages) assert.deepEqual(readMessage(sent), read);
});

sipTest("converse() goes on with the script when the server leaves, or is gone", async () => {
  {
    await using made = await talking();
    made.agent.close();
    assert.equal((await made.ended()).how, "ended");
  }
  await using made = await talking();
  made.agent.vanish();
  const event = await made.ended();

  assert.deepEqual([event.how, event.fault], ["failed", "unreachable"]);
  assert.equal(event.message, "the connection broke off");
});

sipTest(
  "converse() fails where reading a message hangs its Worker, and the call goes on",
  async () => {
    const sockets = socketWorkers({
      script: new URL("../../support/media/hanging_conversation.ts", import.meta.url),
      mayReachPrivate: true,
      log: () => {},
      onStuck() {},
      checkMs: 300,
    });
    {
      await using made = await talking({}, { sockets });
      const { agent, call } = made;
      agent.send(text("Welcome."));
      await made.saying();
      agent.send({ hangMs: 12_000 });
      const event = await made.ended();

      assert.deepEqual([event.how, event.fault], ["failed", "messages"]);
      assert.equal(event.message, "the thread that reads what its server sends hung on a message");
      assert.equal(call.lab.companion.liveLegs(), 1);
    }
    await sockets.close();
  },
);

sipTest("converse() ends with a server that answers no pings", async () => {
  await using made = await talking();

  made.agent.pause();
  const event = await made.ended();

  assert.match(event.message!, /does not answer pings for 3.5 s/);
});

sipTest("converse() ends with the call, and still tells of the end", async () => {
  await using made = await talking();

  await made.call.phone.bye();
  const event = await made.ended();

  assert.equal(event.how, "completed");
  assert.equal(await made.agent.closed, 1000);
});

sipTest("converse() does not connect to private addresses that are not allowed", async () => {
  const step: ConverseStep = {
    type: "converse",
    conversation: {
      sid,
      url: "wss://127.0.0.1:9/",
      headers: {},
      setup: { type: "setup" },
      settings: usual,
    },
  };
  await using call = await startGathering([[step, wait]], { isPublicAddress: () => false });
  const { event } = await call.lab.service.event("conversed", call.leg);

  assert.match((event as ConversedEvent).message!, /private address/);
});

sipTest(
  "converse() tells server and service that speech is not understood, or not made",
  async () => {
    await using made = await talking({}, {
      speaker: { speak: () => Promise.reject(new Error("no voice today")) },
      recogniser: { recognise: () => Promise.reject(new Error("no ears today")) },
    });
    const { agent, call } = made;

    made.say(1);
    await agent.message(({ description }) => description === "no ears today");
    agent.send(text("Hello."));
    agent.send(text("Again."));
    await eventually(
      "two errors",
      () =>
        agent.messages.filter(({ description }) => description === "no voice today").length === 2,
    );

    assert.deepEqual(
      call.events("problem").map((event) => event.type === "problem" && event.about),
      ["recognition", "speech"],
    );
  },
);

for (const what of ["tokens", "invalid messages", "unknown events", "pings"] as const) {
  sipTest(`converse() has a server wait that floods ${what}, and others go on`, async () => {
    await using made = await talking();
    const { agent, call } = made;
    const stop = flood(agent, floodFrames[what]);
    const { framesPerS, burstFrames } = mediaLimits.streamPace;
    const startedAt = performance.now();

    // What phones and the service ask is answered meanwhile.
    const bob = await call.lab.phone("bob");
    for (let i = 0; i < 20; i++) {
      assert.equal((await bob.register()).status, 200);
    }
    stop();

    const seconds = (performance.now() - startedAt) / 1_000;
    const answers = agent.messages.filter(({ type }) => type === "error").length;
    assert.ok(answers <= burstFrames + framesPerS * seconds + 32, `${answers} answers`);
  });
}

sipTest("converse() ends with a server that goes on flooding, and says why", async () => {
  const limits = mediaLimits as { streamFloodMs: number };
  const before = limits.streamFloodMs;
  try {
    limits.streamFloodMs = 1_500;
    await using made = await talking();
    flood(made.agent, floodFrames.pings);

    const event = await made.ended();

    assert.deepEqual([event.how, event.fault], ["failed", "messages"]);
    assert.match(event.message ?? "", /has sent more than 200 messages or 512 KiB a second/);
  } finally {
    limits.streamFloodMs = before;
  }
});
