import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import twilio from "twilio";
import type { ConversedEvent } from "../../core/protocol/streams.ts";
import { type App, startApp } from "../support/service/app.ts";
import { notifications } from "../support/service/hand_companion.ts";
import { caller, consult, leg } from "../support/sip/conference_callers.ts";

const url = "wss://agent.test/relay?room=7";

/** Content of the Response of a document of Twilio's library. */
const inside = (response: { toString(): string }) =>
  /<Response>(.*)<\/Response>/s.exec(response.toString())![1]!;

/** A call that is answered, and the order of the conversation in its markup. */
async function conversing(app: App, markup: string) {
  const call = await caller(app, "1", markup);
  await call.report({ type: "answered" }, { wantsScript: false });
  const [step] = await consult(call, call.script);
  assert.ok(step?.type === "converse", Deno.inspect(step));
  const { conversation, action } = step;
  const over = (own: Partial<ConversedEvent>, options = {}) =>
    call.report({
      type: "conversed",
      sid: conversation.sid,
      url: conversation.url,
      durationS: 12,
      how: "ended",
      ...action && { action },
      ...own,
    }, options);
  return { ...call, conversation, over };
}

async function formAt(app: App, url: string): Promise<Record<string, string>> {
  await app.runJobs();
  const request = app.fetched.findLast((one) => one.url === url);
  assert.ok(request, `${url} was not requested`);
  return Object.fromEntries(new URLSearchParams(await request.clone().text()));
}

const simple = (attributes = "") =>
  `<Connect action="/after"><ConversationRelay url="${url}" ${attributes}/></Connect><Hangup/>`;

Deno.test("Connect with a ConversationRelay of Twilio's library becomes a signed order", async () => {
  using app = await startApp();
  const response = new twilio.twiml.VoiceResponse();
  const relay = response.connect({ action: "/after" }).conversationRelay({
    url,
    welcomeGreeting: "Hello, how can I help?",
    welcomeGreetingInterruptible: "none",
    language: "en-GB",
    transcriptionLanguage: "de-DE",
    voice: "Polly.Brian",
    interruptible: "speech",
    interruptSensitivity: "medium",
    dtmfDetection: true,
    partialPrompts: true,
    preemptible: true,
    hints: "yes, no",
    events: "speaker-events tokens-played",
    speechtimeout: "700",
    ttsProvider: "Amazon",
  });
  relay.language({ code: "fr-FR", voice: "Polly.Celine" });
  relay.parameter({ name: "room", value: "7" });

  const { conversation, script } = await conversing(app, inside(response));

  assert.deepEqual(script.map(({ type }) => type), ["answer", "consult", "hangup"]);
  const { headers, sid, ...order } = conversation;
  assert.match(sid, /^VX[0-9a-f]{32}$/);
  assert.deepEqual(order, {
    url,
    setup: {
      type: "setup",
      sessionId: sid,
      accountSid: app.root.sid,
      parentCallSid: "",
      callSid: leg("1"),
      from: "client:client-1",
      to: "x",
      forwardedFrom: "",
      callType: "CLIENT",
      callerName: "",
      direction: "inbound",
      callStatus: "IN-PROGRESS",
      customParameters: { room: "7" },
    },
    settings: {
      greeting: { text: "Hello, how can I help?", interruptible: "none" },
      interruptible: "speech",
      interruptAfterMs: 250,
      reported: "none",
      isPreemptible: true,
      hasDigits: true,
      events: ["speaker-events", "tokens-played"],
      speech: {
        language: "en-GB",
        voice: { voice: "man", namedVoice: "Polly.Brian" },
        voices: { "fr-FR": { voice: "woman", namedVoice: "Polly.Celine" } },
      },
      hearing: { language: "de-DE", hints: ["yes", "no"], hasPartials: true, pauseMs: 700 },
    },
  });
  const signature = createHmac("sha1", app.root.token).update(url).digest("base64");
  assert.equal(headers["x-twilio-signature"], signature);
  assert.ok(headers["x-switchboard-signature"]);
  assert.deepEqual(await notifications(app), []);
});

Deno.test("A report of a consult that comes again brings the same conversation", async () => {
  using app = await startApp();
  const { conversation, repeat } = await conversing(app, simple());

  const [step] = await repeat();

  assert.ok(step?.type === "converse");
  assert.equal(step.conversation.sid, conversation.sid);
});

Deno.test("The action of a conversation gets its end and the hand-over data", async () => {
  using app = await startApp();
  const { over, conversation } = await conversing(app, simple());

  await over({ handoffData: '{"to":"sales"}' });
  const form = await formAt(app, "https://app.test/after");

  assert.deepEqual(
    [form.SessionId, form.SessionStatus, form.SessionDuration, form.HandoffData, form.CallStatus],
    [conversation.sid, "ended", "12", '{"to":"sales"}', "in-progress"],
  );
});

Deno.test("The action of a conversation is requested when the caller hangs up", async () => {
  using app = await startApp();
  const { over } = await conversing(app, simple());

  await over({ how: "completed" }, { wantsScript: false, hasEnded: true });
  const form = await formAt(app, "https://app.test/after");

  assert.deepEqual([form.SessionStatus, form.CallStatus], ["completed", "completed"]);
});

for (const hasAction of [true, false]) {
  Deno.test(`A conversation whose server is gone leaves a Notification, ${hasAction ? "" : "also without an action, "}and the call goes on`, async () => {
    using app = await startApp();
    const markup = hasAction ? simple() : simple().replace(' action="/after"', "");
    const { over } = await conversing(app, markup);

    await over({ how: "failed", fault: "unreachable", message: "the connection broke off" });

    if (hasAction) {
      const form = await formAt(app, "https://app.test/after");
      assert.deepEqual(
        [form.SessionStatus, form.ErrorCode, form.ErrorMessage],
        ["failed", "39001", "the connection broke off"],
      );
    }
    assert.match((await notifications(app))[0]!, /ConversationRelay is not reached: VX.*broke off/);
  });
}

Deno.test("A conversation whose server sends invalid messages leaves a warning, and goes on", async () => {
  using app = await startApp();
  const call = await conversing(app, simple());

  const message = "Invalid message received: hello";
  await call.report({ type: "problem", about: "messages", url, message });

  const { notifications: all } = (await app.root.get("Notifications.json")).json();
  assert.deepEqual(
    all.map((one: Record<string, string>) => [one.error_code, one.log, one.request_url]),
    [[64107, 1, url]],
  );
  await call.over({ how: "ended" });
  assert.equal((await formAt(app, "https://app.test/after")).SessionStatus, "ended");
});

for (
  const [what, bad, note] of [
    ["ws", "ws://agent.test/", /ws is not encrypted/],
    ["https", "https://agent.test/", /it is no wss address/],
    ["a fragment", "wss://agent.test/#here", /a query or a fragment/],
  ] as const
) {
  Deno.test(`A ConversationRelay with ${what} in its URL leaves a Notification, and its action gets the error`, async () => {
    using app = await startApp();
    const call = await caller(app, "1", simple().replace(url, bad));
    await call.report({ type: "answered" }, { wantsScript: false });
    const step = call.script.find(({ type }) => type === "consult" || type === "next");

    if (step?.type === "consult") await consult(call, call.script);
    else if (step?.type === "next") await call.report({ type: "next", action: step.action });

    assert.equal((await formAt(app, "https://app.test/after")).SessionStatus, "failed");
    assert.ok((await notifications(app)).some((text) => note.test(text)));
  });
}

Deno.test("Attributes of ConversationRelay without effect are noted with a reason", async () => {
  using app = await startApp();
  const asked = 'intelligenceService="GA1" ignoreBackchannel="true" language="multi" ' +
    'interruptible="maybe"';

  await conversing(
    app,
    simple(asked).replace("/></Connect>", "><Task/></ConversationRelay></Connect>"),
  );

  const [note] = await notifications(app);
  assert.match(note!, /intelligenceService.*: there are no services for transcripts here/);
  assert.match(note!, /ignoreBackchannel.*: every word interrupts/);
  assert.match(note!, /value "multi" of attribute "language"/);
  assert.match(note!, /value "maybe" of attribute "interruptible"/);
  assert.match(note!, /Task in ConversationRelay/);
});
