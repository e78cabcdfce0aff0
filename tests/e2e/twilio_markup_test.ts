import assert from "node:assert/strict";
import twilio from "twilio";
import { writeWav } from "../../core/base/wav.ts";
import { asTelephone, wordsOf } from "../support/media/speech_lab.ts";
import { tone } from "../support/media/tone.ts";
import { channelOf, readRecording, secondsOf } from "../support/service/recorded.ts";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { sharedSystem } from "../support/process/shared_system.ts";
import { freePorts, type System } from "../support/process/system.ts";
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
  /** Those of the test's own calls. */
  notifications(): Promise<string[]>;
}

const [port] = freePorts(1) as [number];
const withSystem = sharedSystem({ env: { RTP_PORTS: "0", SIP_UDP_PORT: String(port) } });

function markupTest(name: string, body: (lab: Lab) => Promise<void>): void {
  Deno.test({
    name,
    timeout: 240_000,
    fn: () =>
      withSystem(async (system) => {
        await using app = startAppServer();
        const { total: earlier } = await system.get("Calls.json");
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
            const { total, calls } = await system.get("Calls.json");
            const own = calls.slice(0, total - earlier).map(({ sid }: { sid: string }) => sid);
            const { notifications } = await system.get("Notifications.json");
            return notifications
              .filter((one: { call_sid: string }) => own.includes(one.call_sid))
              .map((one: { message_text: string }) => one.message_text);
          },
        });
      }),
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
  "Dial records the caller alone, without silence at the ends, and reports each event",
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
  "Gather requests its action without input too, and Say pauses at the breaks of SSML",
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

markupTest(
  "Start records both sides of a call and its transcription, until the call ends",
  async ({ page, caller, app, notifications }) => {
    const alice = await caller("alice");
    page("/alice", (response) => {
      response.start().recording({
        channels: "dual",
        track: "both",
        recordingStatusCallback: "/recorded",
        recordingStatusCallbackEvent: ["completed"],
      });
      response.start().transcription({
        name: "words",
        track: "both_tracks",
        statusCallbackUrl: "/words",
        languageCode: "en-US",
        hints: "Sales, Billing department, Operator",
      });
      response.play("/words.wav");
      response.play("/tone.wav");
      response.stop().transcription({ name: "words" });
      response.play("/tone.wav");
    });
    const words = asTelephone(await wordsOf("billing department"));
    app.pages.set("/words.wav", writeWav(words.pcm, 8_000));
    app.pages.set("/tone.wav", writeWav(tone(1_700, 2), 8_000));

    const { talking, dialog } = await callTalking(alice, "anybody");
    talking.say(ALICE);
    await talking.hears(1_700);
    await dialog.ended;

    const done = await app.asked("/recorded");
    const { channels, samples } = readRecording(await (await fetch(done.RecordingUrl!)).bytes());
    assert.equal(channels, 2);
    const [said, heard] = [channelOf(samples, 0), channelOf(samples, 1)];
    assert.ok(secondsOf(ALICE, said) > 1 && secondsOf(1_700, said) < 0.1, "what alice says");
    const toneS = secondsOf(1_700, heard);
    // Speech has the pitch of a tone now and then.
    const ownS = secondsOf(ALICE, heard);
    assert.ok(toneS > 3 && ownS < 1, `what alice hears: ${toneS} s of tone, ${ownS} s of herself`);
    await app.asked(
      "/words",
      ({ TranscriptionEvent }) => TranscriptionEvent === "transcription-stopped",
    );
    const events = app.sent("/words");
    assert.deepEqual(
      events.map(({ SequenceId }) => SequenceId),
      events.map((_, i) => `${i + 1}`),
    );
    assert.equal(events[0]!.TranscriptionEvent, "transcription-started");
    const texts = events.filter(({ Track }) => Track === "outbound_track")
      .map(({ TranscriptionData }) => JSON.parse(TranscriptionData!).transcript);
    assert.ok(texts.includes("Billing department"), JSON.stringify(events));
    assert.deepEqual(await notifications(), []);
    await talking.close();
  },
);

markupTest(
  "the callback of a Dial gets the answering machine detection while the two talk",
  async ({ page, caller, app, system }) => {
    const alice = await caller("alice");
    const bob = await system.phone("bob");
    page("/alice", (response) => {
      response.dial().sip(
        {
          machineDetection: "Enable",
          machineDetectionTimeout: 10,
          amdStatusCallback: "/amd",
        },
        "sip:bob@localhost",
      );
    });

    const calling = callTalking(alice, "anybody");
    const bobs = await answerTalking(await bob.nextPlainCall());
    const { talking } = await calling;
    bobs.talking.say(BOB); // Without a pause: a recorded greeting.
    await talking.hears(BOB);
    const { AnsweredBy, CallSid } = await app.asked("/amd");

    assert.equal(AnsweredBy, "machine");
    assert.equal((await system.get(`Calls/${CallSid}.json`)).answered_by, "machine");
    await bobs.dialog.bye();
    await talking.close();
    await bobs.talking.close();
  },
);

markupTest("a transfer in a Dial requests its referUrl", async ({ page, caller, app, system }) => {
  const alice = await caller("alice");
  const bob = await system.phone("bob");
  page("/alice", (response) => {
    response.dial({ referUrl: "/refer", referMethod: "POST" }).client("bob");
  });
  page("/refer", (response) => void response.play("/tone.wav"));
  app.pages.set("/tone.wav", writeWav(tone(1_700, 2), 8_000));

  const calling = callTalking(alice, "anybody");
  const bobs = await answerTalking(await bob.nextPlainCall());
  const { talking, dialog } = await calling;
  await bobs.dialog.request("REFER", { headers: ["Refer-To: <sip:carol@localhost>"] });

  const { ReferTransferTarget } = await app.asked("/refer");
  assert.match(ReferTransferTarget!, /carol/);
  await talking.hears(1_700);
  await dialog.ended;
  await talking.close();
  await bobs.talking.close();
});

markupTest(
  "a document of Pause alone, or of nothing, is answered, waits and hangs up",
  async ({ page, caller }) => {
    const alice = await caller("alice");
    for (const write of [(response: Voice) => void response.pause({ length: 1 }), () => {}]) {
      page("/alice", write);
      const { dialog, talking } = await callTalking(alice, "anybody");
      assert.equal((await dialog.ended).method, "BYE");
      await talking.close();
    }
  },
);
