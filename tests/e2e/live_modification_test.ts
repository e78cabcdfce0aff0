import assert from "node:assert/strict";
import { startCarrierLab } from "../support/service/carrier_lab.ts";
import type { Softphone } from "../support/sip/softphone.ts";
import { eventually } from "../support/process/eventually.ts";
import { shared } from "../support/process/shared.ts";
import type { System } from "../support/process/system.ts";
import {
  carrierAt,
  type CarrierDialog,
  talkAt,
  type Talker,
  there,
} from "../support/media/talker.ts";
import { readRecording, secondsOf } from "../support/service/recorded.ts";
import { tone } from "../support/media/tone.ts";
import { pcmFile } from "../support/media/wav_file.ts";

/** Alice says 500 Hz, Bob 750; a verb plays 1,000 Hz and the new document 1,250. */
const [ALICE, BOB, OLD, NEW] = [500, 750, 1_000, 1_250];

/** A verb of Alice's call while REST modifies the call, as she sees it. */
interface Verb {
  document: string;
  /** Action of Bob once Alice has called. */
  bob?: "answers" | "calls first" | "calls then";
  /** The document of Bob's own call. */
  bobs?: string;
  /** Until it is under way. */
  begun(alice: Talker): Promise<void>;
  /** Parameters of her action after redirection and after Status=completed. */
  redirected?: Record<string, string>;
  completed?: Record<string, string>;
  isRecorded?: boolean;
  /** Bob goes on without her. */
  bobStays?: boolean;
}

const play = '<Play loop="0">/old.wav</Play>';
const recorded = 'recordingStatusCallback="/recorded"';
const hears = (hz: number) => (alice: Talker) => alice.untilHears([hz], ([level]) => there(level!));
const [hearsOld, hearsBob] = [hears(OLD), hears(BOB)];
const completed = { DialCallStatus: "completed" };
const conference = (name: string, attributes = "") =>
  `<Dial action="/after"><Conference beep="false" waitUrl="" ${attributes}>${name}</Conference></Dial>`;

const verbs: Record<string, Verb> = {
  "Play": { document: play, begun: hearsOld },
  "Say": {
    document: '<Say loop="0">You are being connected, please hold the line.</Say>',
    begun: (alice) => alice.untilHearsAnything(true),
  },
  "Pause": {
    document: '<Play loop="3">/old.wav</Play><Pause length="60"/>',
    begun: async (alice) => {
      await hearsOld(alice);
      await alice.untilHearsAnything(false);
    },
  },
  "Echo": { document: "<Echo/>", begun: hears(ALICE) },
  "Gather": {
    document: `<Gather action="/never" timeout="60">${play}</Gather>`,
    begun: hearsOld,
  },
  "Record": {
    document: `<Record action="/after" playBeep="false" timeout="60" ${recorded}/>`,
    begun: () => Promise.resolve(),
    completed: { Digits: "hangup" },
    isRecorded: true,
  },
  "Dial": {
    document: '<Dial action="/after"><Number>+442079460000</Number></Dial>',
    bob: "answers",
    begun: hearsBob,
    redirected: completed,
    completed,
  },
  "Dial with record": {
    document:
      `<Dial action="/after" record="true" ${recorded}><Number>+442079460000</Number></Dial>`,
    bob: "answers",
    begun: hearsBob,
    redirected: completed,
    completed,
    isRecorded: true,
  },
  "Conference": {
    document: conference("lobby", `record="true" ${recorded}`),
    bob: "calls first",
    bobs: conference("lobby"),
    begun: hearsBob,
    redirected: completed,
    completed,
    isRecorded: true,
    bobStays: true,
  },
  "Enqueue": {
    document: '<Enqueue action="/after" waitUrl="/waiting">help</Enqueue>',
    begun: hearsOld,
    redirected: { QueueResult: "redirected" },
    completed: { QueueResult: "hangup" },
  },
  "Enqueue, taken": {
    document: '<Enqueue action="/after" waitUrl="/waiting">help</Enqueue>',
    bob: "calls then",
    bobs: "<Dial><Queue>help</Queue></Dial>",
    begun: hearsBob,
    redirected: { QueueResult: "bridged" },
    completed: { QueueResult: "bridged" },
  },
  "Dial of a Queue": {
    document: `<Dial action="/after" record="true" ${recorded}><Queue>help</Queue></Dial>`,
    bob: "calls first",
    bobs: "<Enqueue>help</Enqueue>",
    begun: hearsBob,
    redirected: completed,
    completed,
    isRecorded: true,
  },
};

/** An installation with a carrier, Alice and Bob registered. */
async function startLab() {
  const lab = await startCarrierLab();
  const { app, system } = lab;
  app.pages.set("/old.wav", pcmFile(tone(OLD, 1)));
  app.pages.set("/new.wav", pcmFile(tone(NEW, 1)));
  app.pages.set("/waiting", `<Response>${play}</Response>`);
  app.pages.set("/moved", '<Response><Play loop="0">/new.wav</Play></Response>');
  const phones = { alice: await system.phone("alice"), bob: await system.phone("bob") };
  const sids = new Map<string, string>();
  for (const { login, sid } of await system.get("Clients.json")) sids.set(login, sid);
  return { ...lab, phones, sidOf: (login: string) => sids.get(login)! };
}

type Lab = Awaited<ReturnType<typeof startLab>>;

let calls = 0;

/** A Client's call that gets a document. */
async function call(
  { app, system, sidOf }: Lab,
  phone: Softphone,
  { login, document, hz }: { login: string; document: string; hz: number },
): Promise<{ talking: Promise<Talker>; sid: Promise<string> }> {
  const path = `/voice-${++calls}`;
  app.pages.set(path, `<Response>${document}</Response>`);
  await system.post(`Clients/${sidOf(login)}.json`, { VoiceUrl: app.url + path });
  const sid = app.asked(path).then(({ CallSid }) => CallSid!);
  return { talking: talkAt(phone, "sip:service@localhost", hz), sid };
}

type Bob = Talker | Talker<CarrierDialog> | undefined;

/** Alice in the verb, and Bob, where there is one. */
async function inVerb(lab: Lab, verb: Verb): Promise<{ alice: Talker; bob: Bob; sid: string }> {
  const { phones } = lab;
  const { document, bobs = "" } = verb;
  const bobCalls = () => call(lab, phones.bob, { login: "bob", document: bobs, hz: BOB });
  const first = verb.bob === "calls first" ? await (await bobCalls()).talking : undefined;
  const placed = await call(lab, phones.alice, { login: "alice", document, hz: ALICE });
  const answered = verb.bob === "answers" ? await carrierAt(lab.trunk, BOB) : undefined;
  const alice = await placed.talking;
  const later = verb.bob === "calls then" ? await (await bobCalls()).talking : undefined;
  await verb.begun(alice);
  const bob = first ?? answered ?? later;
  await bob?.untilHears([ALICE], ([level]) => there(level!));
  const sid = await placed.sid;
  if (verb.isRecorded) await underWay(lab.system, sid);
  return { alice, bob, sid };
}

const recordingsOf = async (system: System, sid: string) =>
  (await system.get(`Calls/${sid}/Recordings.json`)).recordings as {
    sid: string;
    status: string;
    file_uri: string;
  }[];

const underWay = (system: System, sid: string) =>
  eventually("half a second of the recording is kept", async () => {
    const [recording] = await recordingsOf(system, sid);
    if (recording === undefined) return false;
    const head = await fetch(recording.file_uri, { method: "HEAD" });
    return Number(head.headers.get("content-length")) > 16_000;
  });

/** Asserts that the one recording of a call is finished, reported, and has Alice's audio. */
async function assertRecorded({ app, system }: Lab, sid: string, what: string): Promise<void> {
  const told = await app.asked("/recorded", ({ CallSid }) => CallSid === sid);
  assert.equal(told.RecordingStatus, "completed", what);
  const [recording, ...others] = await recordingsOf(system, sid);
  assert.deepEqual([recording?.status, others], ["completed", []], what);
  const file = await (await fetch(recording!.file_uri)).bytes();
  const { samples, channels } = readRecording(file);
  const hers = samples.filter((_, i) => i % channels === 0);
  assert.ok(secondsOf(ALICE, hers) > 0.1, `${what}: ${secondsOf(ALICE, hers)} s`);
}

async function assertTold(
  { app }: Lab,
  sid: string,
  wanted: Record<string, string> | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const told = await app.asked("/after", ({ CallSid }) => CallSid === sid);
  assert.deepEqual({ ...told, ...wanted }, told);
}

/** No call is left, for the service or for the companion. */
const nothingLeft = (system: System) =>
  eventually("no call is left", async () => {
    const { LiveCalls } = (await system.get("Supervisor.json/metrics")).Metrics;
    const live = await Promise.all(
      ["queued", "ringing", "in-progress"].map((status) =>
        system.get(`Calls.json?Status=${status}`)
      ),
    );
    return LiveCalls === 0 && live.every(({ calls }) => calls.length === 0);
  });

async function finish(lab: Lab, talkers: Bob[]): Promise<void> {
  await nothingLeft(lab.system);
  for (const talker of talkers) await talker?.close();
}

/** Asserts the state of the other side without Alice. */
async function bobAlone(verb: Verb, bob: Bob): Promise<void> {
  if (!verb.bobStays) return void await bob?.dialog.ended;
  await bob?.untilHearsAnything(false);
  await bob?.dialog.bye();
}

async function redirect(lab: Lab, verb: Verb, what: string): Promise<void> {
  const { app, system } = lab;
  const { alice, bob, sid } = await inVerb(lab, verb);

  await system.post(`Calls/${sid}.json`, { Url: `${app.url}/moved` });

  await alice.untilHearsOnly(NEW);
  await bobAlone(verb, bob);
  await assertTold(lab, sid, verb.redirected);
  if (verb.isRecorded) await assertRecorded(lab, sid, what);
  await system.post(`Calls/${sid}.json`, { Status: "completed" });
  assert.equal((await alice.dialog.ended).method, "BYE");
  await finish(lab, [alice, bob]);
}

async function complete(lab: Lab, verb: Verb, what: string): Promise<void> {
  const { alice, bob, sid } = await inVerb(lab, verb);

  await lab.system.post(`Calls/${sid}.json`, { Status: "completed" });

  assert.equal((await alice.dialog.ended).method, "BYE");
  await bobAlone(verb, bob);
  await assertTold(lab, sid, verb.completed);
  if (verb.isRecorded) await assertRecorded(lab, sid, what);
  await finish(lab, [alice, bob]);
}

/** Both sides get the new document, each as the call that it is. */
async function moveBoth(lab: Lab, verb: Verb, what: string): Promise<void> {
  const { app, system } = lab;
  const { alice, bob, sid } = await inVerb(lab, verb);
  const before = app.sent("/moved").length;

  await system.post(`Calls/${sid}.json`, {
    Url: `${app.url}/moved`,
    MoveConnectedCallLeg: "true",
  });

  await Promise.all([alice.untilHearsOnly(NEW), bob!.untilHearsOnly(NEW)]);
  const moved = app.sent("/moved").slice(before).map(({ CallSid }) => CallSid);
  assert.deepEqual([moved.length, moved.includes(sid), new Set(moved).size], [2, true, 2]);
  if (verb.isRecorded) await assertRecorded(lab, sid, what);
  await Promise.all([alice.dialog.bye(), bob!.dialog.bye()]);
  await finish(lab, [alice, bob]);
}

/** Only the callee of the Dial gets the new document; her call goes on behind the Dial. */
async function moveCallee(lab: Lab, verb: Verb, what: string): Promise<void> {
  const { app, system } = lab;
  const { alice, bob, sid } = await inVerb(lab, verb);
  const { calls: [child] } = await system.get(`Calls.json?ParentCallSid=${sid}`);

  await system.post(`Calls/${child.sid}.json`, { Url: `${app.url}/moved` });

  await bob!.untilHearsOnly(NEW);
  await assertTold(lab, sid, { DialCallStatus: "completed", DialCallSid: child.sid });
  assert.equal((await alice.dialog.ended).method, "BYE");
  if (verb.isRecorded) await assertRecorded(lab, sid, what);
  await bob!.dialog.bye();
  await finish(lab, [alice, bob]);
}

const alone = ["Play", "Say", "Pause", "Echo", "Gather", "Record", "Enqueue"];
const talks = ["Dial", "Dial with record", "Enqueue, taken", "Dial of a Queue"];
const together = [...talks, "Conference"];
const withLab = shared(startLab);
const acts: [what: string, act: typeof redirect, of: string[]][] = [
  ["a new Url ends a verb at once and is heard", redirect, alone],
  ["a new Url takes a caller away from the other side and is heard", redirect, together],
  ["Status=completed ends a call in the middle of a verb", complete, alone],
  ["Status=completed ends a call in which two talk", complete, together],
  ["MoveConnectedCallLeg moves both who talk", moveBoth, talks],
  ["a new Url for whom a Dial called moves that one alone", moveCallee, ["Dial with record"]],
];

for (const [what, act, of] of acts) {
  Deno.test({
    name: what,
    timeout: 240_000,
    fn: (t) =>
      withLab(async (lab) => {
        for (const name of of) {
          const isDone = await t.step(name, () => act(lab, verbs[name]!, name));
          if (!isDone) throw new Error(`${name} failed`); // The next test has a new lab.
        }
      }),
  });
}
