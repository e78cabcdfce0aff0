import assert from "node:assert/strict";
import twilio from "twilio";
import { compileAnswer } from "../../../core/documents/compile_answer.ts";
import { parseDocument } from "../../../core/markup/parse.ts";
import { ssmlElements } from "../../../core/markup/ssml.ts";
import { compiledDocument, outbound } from "../../support/service/compile_lab.ts";
import {
  type HelperElement,
  messagingElements,
  performedAttributes,
  performedElements,
  statusOf,
  voiceElements,
} from "../../support/service/twilio_markup.ts";

/** Values that no attribute has by default, by name; of an element where it differs. */
const samples: Record<string, string> = {
  action: "/next",
  actionOnEmptyResult: "true",
  alias: "World Wide Web",
  alphabet: "ipa",
  amdStatusCallback: "/amd",
  answerOnBridge: "false",
  bargeIn: "false",
  beep: "onExit",
  callerId: "+15550123",
  channels: "dual",
  code: "de-DE",
  coach: `CA${"1".repeat(32)}`,
  debug: "speaker-events",
  digits: "12#",
  dtmfDetection: "true",
  endConferenceOnExit: "true",
  events: "tokens-played",
  finishOnKey: "7",
  from: "+15550124",
  hangupOnStar: "true",
  hints: "yes, no",
  input: "speech dtmf",
  interruptSensitivity: "low",
  interruptible: "speech",
  language: "de-DE",
  languageCode: "de-DE",
  length: "7",
  level: "strong",
  loop: "3",
  machineDetection: "DetectMessageEnd",
  machineDetectionSilenceTimeout: "3000",
  machineDetectionSpeechEndThreshold: "1500",
  machineDetectionSpeechThreshold: "3000",
  machineDetectionTimeout: "17",
  maxLength: "17",
  maxParticipants: "7",
  maxQueueSize: "7",
  maxSpeechTime: "17",
  muted: "true",
  name: "one",
  numDigits: "7",
  partialPrompts: "true",
  partialResultCallback: "/partial",
  partialResults: "true",
  participantLabel: "agent",
  password: "secret",
  ph: "test",
  preemptible: "true",
  pitch: "high",
  playBeep: "false",
  rate: "slow",
  reason: "busy",
  record: "record-from-start",
  recordingStatusCallback: "/recorded",
  recordingStatusCallbackEvent: "in-progress",
  recordingTrack: "inbound",
  referUrl: "/refer",
  reportInputDuringAgentSpeech: "speech",
  ringTone: "us",
  role: "amazon:VB",
  sendDigits: "12",
  sequential: "true",
  speechTimeout: "3",
  speechtimeout: "700",
  startConferenceOnEnter: "false",
  statusCallback: "/status",
  statusCallbackEvent: "join",
  statusCallbackUrl: "/words",
  strength: "strong",
  time: "2s",
  timeLimit: "17",
  timeout: "17",
  to: "+15550125",
  track: "outbound_track",
  transcribe: "true",
  transcribeCallback: "/text",
  transcriptionLanguage: "de-DE",
  trim: "do-not-trim",
  ttsLanguage: "de-DE",
  url: "/document",
  username: "me",
  value: "4711",
  voice: "man",
  volume: "loud",
  waitUrl: "/wait",
  welcomeGreeting: "Hello.",
  welcomeGreetingInterruptible: "none",
  "interpret-as": "characters",
  "xml:lang": "de-DE",
};
const own: Record<string, Record<string, string>> = {
  Client: { statusCallbackEvent: "ringing" },
  Number: { statusCallbackEvent: "ringing" },
  Sip: { statusCallbackEvent: "ringing" },
  Conference: { trim: "trim-silence" },
  Uri: { username: "you" },
  Dial: { record: "record-from-answer", trim: "trim-silence" },
  Recording: { track: "inbound", trim: "trim-silence" },
  Stream: { url: "wss://agent.test/audio", track: "outbound_track" },
  ConversationRelay: { url: "wss://agent.test/relay" },
};

/** Attributes that others need to have an effect. */
const needed: Record<string, string[]> = {
  Connect: ["action"],
  Dial: ["action", "record", "recordingStatusCallback", "referUrl"],
  Enqueue: ["action", "waitUrl"],
  Gather: ["action", "input", "partialResultCallback"],
  Message: ["action", "statusCallback"],
  Record: ["action", "recordingStatusCallback"],
  Refer: ["action"],
  Sms: ["action", "statusCallback"],
  Client: ["url", "statusCallback"],
  Number: ["url", "statusCallback", "machineDetection", "amdStatusCallback"],
  Sip: ["url", "statusCallback", "username", "machineDetection", "amdStatusCallback"],
  Conference: ["record", "recordingStatusCallback", "statusCallback", "waitUrl"],
  Queue: ["url"],
  Header: ["name", "value"],
  Parameter: ["name", "value"],
  Uri: ["username"],
  Recording: ["recordingStatusCallback"],
  Stream: ["url", "statusCallback"],
  Transcription: ["statusCallbackUrl", "name"],
  ConversationRelay: ["url", "welcomeGreeting"],
  Language: ["code", "voice"],
};

const bodies: Record<string, string> = {
  Dial: "+15550002",
  Number: "+15550002",
  Uri: "sip:carol@sip.test",
  Play: "/sound.wav",
  Redirect: "/next",
  Sip: "sip:carol@sip.test",
  Media: "/picture.png",
};

const valueOf = (element: string, attribute: string) =>
  attribute.endsWith("Method") || attribute === "method" ? "GET" : own[element]?.[attribute] ??
    samples[attribute];

type Node = Record<string, (attributes: object, body?: string) => Node> & { toString(): string };

/** Elements that hold others or nothing. */
const hasText = (path: HelperElement[], at: number): boolean => {
  const { name } = path[at]!;
  if (at < path.length - 1) return ["Client", "Say", "Sip"].includes(name);
  return !["Gather", "Start", "Stop", "Connect", "Refer", "Headers", "ConversationRelay"].includes(
    name,
  );
};

/** The document of a path of elements, as the library writes it. */
function written(root: Node, path: HelperElement[], attributes: Record<string, string>): string {
  let node = root;
  for (const [at, { method, name }] of path.entries()) {
    const given = at === path.length - 1 ? attributes : baseOf(path[at]!);
    const body = hasText(path, at) ? bodies[name] ?? "word" : undefined;
    const make = node[method]!.bind(node);
    node = body === undefined ? make(given) : make(given, body);
  }
  return root.toString();
}

const baseOf = ({ name, attributes }: HelperElement, but?: string): Record<string, string> =>
  Object.fromEntries(
    (needed[name] ?? []).filter((one) => one !== but && attributes.includes(one))
      .map((one) => [one, valueOf(name, one)!]),
  );

/** Sids are numbered in each document, so that two of them are the same where their scripts are. */
async function compiledVoice(path: HelperElement[], attributes: Record<string, string>) {
  const root = new twilio.twiml.VoiceResponse() as unknown as Node;
  const text = written(root, path, attributes);
  const { script, skipped } = await compiledDocument(parseDocument(text), outbound);
  return { script: JSON.stringify(script), skipped, text };
}

async function compiledMessaging(path: HelperElement[], attributes: Record<string, string>) {
  const root = new twilio.twiml.MessagingResponse() as unknown as Node;
  const text = written(root, path, attributes);
  const ends = { ours: "+15550001", theirs: "+15550002" };
  const known = { documentUrl: "https://app.test/sms", hops: 0, ends };
  const { steps, skipped } = await compileAnswer(parseDocument(text), known);
  return { script: JSON.stringify(steps), skipped, text };
}

const kinds = [
  ["calls", performedElements(voiceElements, "VoiceResponse"), compiledVoice],
  ["messages", performedElements(messagingElements, "MessagingResponse"), compiledMessaging],
] as const;

for (const [kind, found, compile] of kinds) {
  for (const { parent, path } of found) {
    const element = path.at(-1)!;
    const { name, attributes } = element;
    const isKnown = performedAttributes(parent, name) !== undefined;
    const place = path.map((one) => one.name).join(" > ");

    Deno.test(`${place} of Twilio's documents for ${kind} is performed, or skipped with a note`, async () => {
      if (!isKnown) {
        const { skipped, text } = await compile(path, {});
        assert.ok(skipped.some((note) => note.includes(name)), `${text}: ${skipped}`);
        return;
      }
      for (const attribute of attributes) {
        const value = valueOf(name, attribute) ?? "true";
        const without = await compile(path, baseOf(element, attribute));
        const given = await compile(path, { ...baseOf(element, attribute), [attribute]: value });
        const status = statusOf(parent, name, attribute);
        const isNoted = given.skipped.some((note) =>
          note.includes(`"${attribute}"`) || note.startsWith(`${attribute} "`)
        );
        assert.equal(isNoted, status === "skipped", `${given.text}: ${given.skipped}`);
        const hasEffect = given.script !== without.script;
        assert.equal(hasEffect, status === "works", `${given.text}: ${given.script}`);
      }
    });
  }
}

Deno.test("Twilio's helper library writes the elements that the tests know", () => {
  const names = new Set(kinds.flatMap(([, found]) => found.map(({ path }) => path.at(-1)!.name)));

  assert.ok(names.size >= 57, [...names].join(" "));
  for (const name of Object.keys(ssmlElements)) assert.ok(names.has(name), name);
});
