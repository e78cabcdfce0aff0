import assert from "node:assert/strict";
import twilio from "twilio";
import { writeWav } from "../../core/base/wav.ts";
import { tone } from "../support/media/tone.ts";
import { readRecording, secondsOf } from "../support/service/recorded.ts";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { freePorts, startSystem, type System } from "../support/process/system.ts";
import { answerTalking, callTalking } from "../support/sip/talking_phone.ts";
import { valueOf } from "../support/sip/sip_text.ts";

/**
 * Documents that Twilio's helper library writes, performed in real calls. Plain phones judge by what
 * they hear: each says a tone of its own.
 */
const [ALICE, BOB, CAROL] = [500, 900, 1_300];
const { VoiceResponse } = twilio.twiml;
type Voice = InstanceType<typeof VoiceResponse>;

interface Lab {
  system: System;
  app: AppServer;
  /** Serves the document at a path. */
  page(path: string, write: (response: Voice) => void): void;
  /** A softphone whose calls get the document at `/LOGIN`. */
  caller(login: string): ReturnType<System["phone"]>;
  notifications(): Promise<string[]>;
}

function markupTest(name: string, body: (lab: Lab) => Promise<void>): void {
  Deno.test({
    name,
    timeout: 240_000,
    async fn() {
      await using app = startAppServer();
      const [port] = freePorts(1) as [number];
      await using system = await startSystem({
        env: { RTP_PORTS: "0", SIP_UDP_PORT: String(port) },
      });
      await body({
        system,
        app,
        page(path, write) {
          const response = new VoiceResponse();
          write(response);
          app.pages.set(path, response.toString());
        },
        async caller(login) {
          const phone = await system.phone(login);
          const [known] = await system.get(`Clients.json?Login=${login}`);
          await system.post(`Clients/${known.sid}.json`, { VoiceUrl: `${app.url}/${login}` });
          return phone;
        },
        async notifications() {
          const { notifications } = await system.get("Notifications.json");
          return notifications.map((one: { message_text: string }) => one.message_text);
        },
      });
    },
  });
}

markupTest(
  "Dial answers at once, rings one after the other with a country's tone, and gives parameters",
  async ({ system, page, caller, app, notifications }) => {
    const alice = await caller("alice");
    const bob = await system.phone("bob");
    const carol = await system.phone("carol");
    page("/alice", (response) => {
      const dial = response.dial({
        answerOnBridge: false,
        sequential: true,
        ringTone: "us",
        action: "/over",
      });
      dial.client("bob");
      const client = dial.client({});
      client.identity("carol");
      client.parameter({ name: "account", value: "4711 & more" });
    });

    const { talking, dialog } = await callTalking(alice, "anybody");
    const bobs = await bob.nextPlainCall();
    bobs.ring();
    await talking.hears(440);
    await talking.hears(480, [425]);
    bobs.decline(486);
    const carols = await carol.nextPlainCall();
    const carolsPhone = await answerTalking(carols);
    carolsPhone.talking.say(CAROL);
    await talking.hears(CAROL, [440, 480]);
    await carolsPhone.dialog.bye();

    assert.equal(valueOf(carols.invite, "x-account"), "4711 & more");
    const over = await app.asked("/over");
    assert.equal(over.DialCallStatus, "completed");
    await dialog.ended;
    assert.deepEqual(await notifications(), []);
    await talking.close();
    await carolsPhone.talking.close();
  },
);

markupTest(
  "Dial records what the caller says alone, without silence at the ends, and tells each event",
  async ({ system, page, caller, app, notifications }) => {
    const alice = await caller("alice");
    const bob = await system.phone("bob");
    page("/alice", (response) => {
      response.dial({
        record: "record-from-answer",
        recordingTrack: "inbound",
        trim: "trim-silence",
        recordingStatusCallback: "/recorded",
        recordingStatusCallbackEvent: ["in-progress", "completed"],
      }).client("bob");
    });

    const calling = callTalking(alice, "anybody");
    const bobs = await answerTalking(await bob.nextPlainCall());
    const { talking } = await calling;
    bobs.talking.say(BOB);
    talking.say(ALICE);
    await talking.hears(BOB);
    await bobs.talking.hears(ALICE);
    const begun = await app.asked(
      "/recorded",
      ({ RecordingStatus }) => RecordingStatus === "in-progress",
    );
    talking.say(null);
    await bobs.talking.hearsNothing();
    await bobs.dialog.bye();

    const done = await app.asked(
      "/recorded",
      ({ RecordingStatus }) => RecordingStatus === "completed",
    );
    assert.equal(done.RecordingSid, begun.RecordingSid);
    assert.equal(done.RecordingChannels, "1");
    const { channels, samples } = readRecording(await (await fetch(done.RecordingUrl!)).bytes());
    assert.equal(channels, 1);
    const [hers, his] = [secondsOf(ALICE, samples), secondsOf(BOB, samples)];
    assert.ok(hers > 0.5 && his < 0.1, `${hers} s of alice, ${his} s of bob`);
    assert.ok(samples.length / 8_000 - hers < 1, "silence at the ends is left out");
    assert.deepEqual(await notifications(), []);
    await talking.close();
    await bobs.talking.close();
  },
);

markupTest(
  "a coach is heard by the coached participant alone, and hears all",
  async ({ page, caller, app, notifications }) => {
    const [agent, customer, coach] = [
      await caller("agent"),
      await caller("customer"),
      await caller("coach"),
    ];
    const enter = (path: string, more: Record<string, unknown>) =>
      page(path, (response) => {
        response.dial().conference(
          {
            beep: "false",
            participantLabel: path.slice(1),
            statusCallback: "/members",
            statusCallbackEvent: ["join"],
            jitterBufferSize: "small",
            ...more,
          },
          "room",
        );
      });
    enter("/agent", {});
    enter("/customer", {});

    const agents = await callTalking(agent, "anybody");
    const { CallSid } = await app.asked("/agent");
    const customers = await callTalking(customer, "anybody");
    agents.talking.say(ALICE);
    customers.talking.say(BOB);
    await agents.talking.hears(BOB);
    enter("/coach", { coach: CallSid });
    const coaches = await callTalking(coach, "anybody");
    coaches.talking.say(CAROL);

    await agents.talking.hears(CAROL);
    await agents.talking.hears(BOB);
    await coaches.talking.hears(ALICE);
    await coaches.talking.hears(BOB);
    await customers.talking.hears(ALICE, [CAROL]);
    const joined = app.sent("/members").map(({ ParticipantLabel }) => ParticipantLabel);
    assert.deepEqual(joined.toSorted(), ["agent", "coach", "customer"]);
    assert.deepEqual(await notifications(), []);
    for (const { dialog, talking } of [agents, customers, coaches]) {
      await dialog.bye();
      await talking.close();
    }
  },
);

markupTest(
  "a waiting call hears the document of Queue before the two talk, and a full queue says so",
  async ({ page, caller, app, notifications }) => {
    const [waiting, late, taker] = [
      await caller("waiting"),
      await caller("late"),
      await caller("taker"),
    ];
    for (const path of ["/waiting", "/late"]) {
      page(path, (response) => {
        response.enqueue({
          maxQueueSize: 1,
          waitUrl: "/hold",
          waitUrlMethod: "GET",
          action: "/left",
        }, "q");
      });
    }
    page("/taker", (response) => {
      response.dial().queue({ url: "/whisper", method: "GET" }, "q");
    });
    page("/hold", (response) => void response.pause({ length: 60 }));
    page("/whisper", (response) => {
      response.play({ loop: 1 }, `${app.url}/tone.wav`);
    });
    app.pages.set("/tone.wav", writeWav(tone(1_700, 3), 8_000));

    const one = await callTalking(waiting, "anybody");
    await app.asked("/hold");
    const two = await callTalking(late, "anybody");
    const left = await app.asked("/left", ({ QueueResult }) => QueueResult === "queue-full");
    assert.ok(left.QueueSid?.startsWith("QU"));
    const three = await callTalking(taker, "anybody");
    three.talking.say(CAROL);
    await one.talking.hears(1_700, [CAROL]);
    await one.talking.hears(CAROL, [1_700]);
    await three.dialog.bye();
    assert.deepEqual(await notifications(), []);
    for (const { talking } of [one, two, three]) await talking.close();
  },
);

markupTest(
  "Gather asks its action though nothing came, and Say pauses where SSML says",
  async ({ page, caller, app, notifications }) => {
    const alice = await caller("alice");
    page("/alice", (response) => {
      const gather = response.gather({ timeout: 1, actionOnEmptyResult: true, action: "/empty" });
      const say = gather.say({ voice: "Polly.Joanna-Neural" }, "");
      say.prosody({ rate: "90%" }, "Hello caller, and welcome to the switchboard");
      say.break({ time: "1500ms" });
      say.emphasis({ level: "strong" }, "please press one");
    });

    const { talking, dialog } = await callTalking(alice, "anybody");
    await talking.hearsSomething();
    await talking.hearsNothing();
    await talking.hearsSomething();

    const { Digits } = await app.asked("/empty");
    assert.equal(Digits, "");
    await dialog.ended;
    assert.deepEqual(await notifications(), []);
    await talking.close();
  },
);
