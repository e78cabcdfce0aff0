import assert from "node:assert/strict";
import twilio from "twilio";
import { asTelephone, programTest, wordsOf } from "../support/media/speech_lab.ts";
import { type StreamServer, streamServer } from "../support/media/stream_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { startAgent } from "../support/process/page_agent.ts";
import { freePorts, startSystem, type System } from "../support/process/system.ts";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { callTalking, type TalkingPhone } from "../support/sip/talking_phone.ts";

/** Conversations by text with a customer's server: real processes, real speech. */

const { VoiceResponse } = twilio.twiml;

interface Lab {
  app: AppServer;
  server: StreamServer;
  system: System;
  call(): ReturnType<typeof callTalking>;
  /** Samples of words that pocketsphinx understands. */
  words: Int16Array;
}

type Relay = Parameters<
  ReturnType<InstanceType<typeof VoiceResponse>["connect"]>["conversationRelay"]
>[0];

function conversationTest(name: string, relay: Relay, body: (lab: Lab) => Promise<void>): void {
  programTest("pocketsphinx_continuous", name, async () => {
    await using app = startAppServer();
    await using server = await streamServer();
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    const response = new VoiceResponse();
    const noun = response.connect({ action: "/after" }).conversationRelay({
      url: `${server.url}/relay?shop=7`,
      hints: "billing department, opening hours",
      ...relay,
    });
    noun.parameter({ name: "shop", value: "7" });
    noun.language({ code: "de-DE", voice: "man" });
    app.pages.set("/voice", response.toString());
    app.pages.set("/after", '<Response><Pause length="60"/></Response>');
    await system.post("Clients.json", {
      Login: "alice",
      Password: "alice-secret",
      VoiceUrl: `${app.url}/voice`,
    });
    const phone = await system.phone("alice");
    const { pcm: words } = asTelephone(await wordsOf("billing department"));
    const phones: TalkingPhone[] = [];
    try {
      await body({
        app,
        server,
        system,
        words,
        async call() {
          const made = await callTalking(phone, "agent");
          phones.push(made.talking);
          return made;
        },
      });
    } finally {
      for (const one of phones) await one.close();
    }
  });
}

/** Says words until something came of them: on a busy machine a phone's sound has gaps. */
async function sayUntil<T>(talking: TalkingPhone, words: Int16Array, told: Promise<T>): Promise<T> {
  const again = setInterval(() => talking.speak(words), 8_000);
  talking.speak(words);
  try {
    return await told;
  } finally {
    clearInterval(again);
  }
}

const greeting = "Welcome to the switchboard. How can I help you today?";
const long = "Our offices are open from nine to five, and on Fridays until four. " +
  "Please bring your papers along with you, and come to the desk in the hall. " +
  "If you cannot come, then write to us, and we will call you back within a week.";

conversationTest(
  "a caller hears a greeting, is understood, interrupts, presses keys and is handed over",
  { welcomeGreeting: greeting, dtmfDetection: true, events: "tokens-played" },
  async ({ app, server, system, call, words }) => {
    const { talking, dialog } = await call();
    const agent = await server.next();
    const setup = await agent.message(({ type }) => type === "setup");
    await talking.hearsSomething();
    await agent.message(({ value }) => value === greeting);

    const prompt = await sayUntil(talking, words, agent.message(({ type }) => type === "prompt"));
    for (const token of long.split(/(?= )/)) agent.send({ type: "text", token, last: false });
    agent.send({ type: "text", token: "", last: true });
    await talking.hearsSomething();
    const prompts = () => agent.messages.filter(({ type }) => type === "prompt").length;
    const before = prompts();
    talking.speak(words);
    const interrupt = await agent.message(({ type }) => type === "interrupt");
    await talking.hearsNothing();
    await sayUntil(talking, words, eventually("words again", () => prompts() > before));
    talking.press(5);
    const dtmf = await agent.message(({ type }) => type === "dtmf");
    agent.send({ type: "language", ttsLanguage: "de-DE" });
    agent.send({ type: "text", token: "Einen Moment, bitte.", last: true });
    await talking.hearsSomething();
    await agent.message(({ value }) => value === "Einen Moment, bitte.");
    agent.send({ type: "end", handoffData: '{"to":"billing"}' });
    const after = await app.asked("/after");

    assert.equal(agent.path, "/relay?shop=7");
    assert.ok(twilio.validateRequest(
      system.authToken,
      agent.headers["x-twilio-signature"]!,
      `${server.url}/relay?shop=7`,
      {},
    ));
    assert.equal(setup.callSid, after.CallSid);
    assert.deepEqual(setup.customParameters, { shop: "7" });
    assert.match(prompt.voicePrompt, /billing department/i);
    assert.ok(long.startsWith(interrupt.utteranceUntilInterrupt));
    assert.ok(interrupt.durationUntilInterruptMs > 0);
    assert.equal(dtmf.digit, "5");
    assert.deepEqual(
      [after.SessionId, after.SessionStatus, after.HandoffData, after.CallStatus],
      [setup.sessionId, "ended", '{"to":"billing"}', "in-progress"],
    );
    assert.ok(Number(after.SessionDuration) > 3);
    assert.equal(await agent.closed, 1000);
    await dialog.bye();
    assert.deepEqual((await system.get("Notifications.json")).notifications, []);
  },
);

conversationTest(
  "a conversation ends when its server is gone or its caller hangs up",
  { welcomeGreeting: greeting },
  async ({ app, server, system, call }) => {
    const lost = await call();
    const first = await server.next();
    await lost.talking.hearsSomething();
    first.vanish();
    const failed = await app.asked("/after");
    await lost.talking.hearsNothing();
    await lost.dialog.bye();
    const left = await call();
    const second = await server.next();
    await left.talking.hearsSomething();
    await left.dialog.bye();
    const completed = await app.asked("/after", ({ CallStatus }) => CallStatus === "completed");

    assert.deepEqual(
      [failed.SessionStatus, failed.ErrorCode, failed.ErrorMessage, failed.CallStatus],
      ["failed", "39001", "the connection broke off", "in-progress"],
    );
    assert.equal(completed.SessionStatus, "completed");
    assert.equal(await second.closed, 1000);
    const { notifications } = await system.get("Notifications.json");
    assert.deepEqual(
      notifications.map(({ error_code }: { error_code: number }) => error_code),
      [39001],
    );
  },
);

programTest(
  "pocketsphinx_continuous",
  "the agent of the page tells the opening hours, and hands a caller over",
  async () => {
    const [port] = freePorts(1) as [number];
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    const page = "docs/how-to/conversation-relay.md";
    await using agent = await startAgent(page, { PORT: String(port) });
    await system.post("Clients.json", {
      Login: "alice",
      Password: "alice-secret",
      VoiceUrl: `http://127.0.0.1:${port}/`,
    });
    const phone = await system.phone("alice");
    const billing = await system.phone("billing");
    const { talking } = await callTalking(phone, "agent");
    try {
      await talking.hearsSomething();
      const [opening, billed] = [
        await wordsOf("opening hours"),
        await wordsOf("billing department"),
      ];
      const hours = await sayUntil(talking, asTelephone(opening).pcm, agent.line("heard: "));
      await talking.hearsSomething();
      const department = await sayUntil(
        talking,
        asTelephone(billed).pcm,
        agent.line("handed over: "),
      );
      const called = await billing.nextPlainCall();

      assert.match(hours, /opening hours/i);
      assert.equal(department, "billing");
      assert.match(called.invite.start, /^INVITE/);
    } finally {
      await talking.close();
    }
  },
);
