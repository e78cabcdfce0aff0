import type { Action } from "../protocol/action.ts";
import type { Invitation, Script, Step } from "../protocol/script.ts";
import { withoutCredentials } from "../base/exchange.ts";
import { conferenceOptions } from "../model/values/conference_options.ts";
import { order } from "../model/values/order.ts";
import { dequeueOptions, enqueueOptions } from "../model/values/queue_options.ts";
import { conversationOptions, streamOptions } from "../model/values/stream_options.ts";
import { shownUrl } from "../model/flows/address.ts";

/** Description of a script: a sentence for each step, in order. */
export const describeScript = (script: Script): string[] => script.map(describeStep);

function describeStep(step: Step): string {
  // The table has the sentence of each type.
  const sentence = sentences[step.type] as (step: Step) => string;
  return sentence(step);
}

type Sentences = { [T in Step["type"]]: (step: Extract<Step, { type: T }>) => string };

const sentences: Sentences = {
  invite: ({ invitation }) => `Calls ${invitation.to}`,
  answer: () => "Answers the call",
  reject: ({ status }) => `Refuses the call with SIP ${status}`,
  play: ({ url, loop }) => `Plays ${shown(url)}${times(loop)}`,
  say: ({ text, language, loop }) => `Says “${short(text)}” (${language})${times(loop)}`,
  silence: ({ seconds, music }) =>
    music ? `Plays hold music for ${seconds} s` : `Is silent for ${seconds} s`,
  digits: ({ digits, loop }) => `Sends the keys ${digits}${times(loop)}`,
  gather: (step) => `${prompted(step.prompts)}${inputOf(step)}${thenOf(step.action)}`,
  echo: ({ seconds }) => `Sends the caller's audio back for ${seconds} s`,
  dial: (step) => `${dialled(step)}${step.record ? ", recorded" : ""}${thenOf(step.action)}`,
  replace: () => "Takes the place of another leg",
  consult: ({ serviceContext, action }) => `${wantedOf(serviceContext)}${thenOf(action)}`,
  conference: ({ action }) => `Enters a conference${thenOf(action)}`,
  queue: ({ action }) => `Waits in a queue${thenOf(action)}`,
  pickup: ({ action }) => `Takes the first call of a queue${thenOf(action)}`,
  leave: () => "Leaves the queue",
  refer: ({ to, action }) => `Transfers the call to ${to}${thenOf(action)}`,
  note: ({ serviceContext, action }) => `${orderOf(serviceContext)}${thenOf(action)}`,
  record: ({ maxLengthS, action }) =>
    `Records the caller for ${maxLengthS} s at most${thenOf(action)}`,
  monitor: () => "Hears another call, and is not heard",
  recordLeg: () => "Records the call from here on",
  transcribeLeg: ({ language }) => `Transcribes the call from here on (${language})`,
  stopTranscription: ({ name }) => `Ends the transcription ${name}`,
  stream: () => "Streams the audio of the call",
  converse: ({ conversation: { url }, action }) =>
    `Leads a conversation by text with ${shown(url)}${thenOf(action)}`,
  stopStream: () => "Ends an audio stream",
  ussd: ({ message, collect, action }) =>
    `Shows “${short(message.text)}”${collect ? " and waits for a reply" : ""}${thenOf(action)}`,
  next: ({ action }) => `Goes on${thenOf(action)}`,
  connect: () => "Connects the two parties",
  hangup: () => "Hangs up",
};

/** Characters that a sentence quotes of a text. */
const quoted = 120;

const short = (text: string): string =>
  text.length > quoted ? `${text.slice(0, quoted - 1)}…` : text;
const shown = (url: string): string => withoutCredentials(shownUrl(url));
const times = (loop: number): string =>
  loop === 1 ? "" : loop === 0 ? ", until the call ends" : `, ${loop} times`;
const thenOf = (action: Action | undefined): string =>
  action === undefined ? "" : `; then requests ${action.method} ${shown(action.url)}`;

type Gather = Extract<Step, { type: "gather" }>;

const prompted = (prompts: Gather["prompts"]): string =>
  prompts.length === 0 ? "" : `${describeScript(prompts).join(", ")}. Meanwhile it `;

function inputOf({ prompts, keys, speech, timeoutS }: Gather): string {
  const most = keys &&
    (keys.most > 99 ? "keys" : keys.most === 1 ? "1 key" : `${keys.most} keys at most`);
  const finish = keys?.finish ? `, which ${keys.finish} ends` : "";
  const input = [most && most + finish, speech && `speech (${speech.language})`].filter(Boolean);
  const verb = prompts.length === 0 ? "Takes" : "takes";
  return `${verb} ${input.join(" or ")}, and waits ${timeoutS} s for it`;
}

type Dial = Extract<Step, { type: "dial" }>;

function dialled({ legs, sequential, timeoutS }: Dial): string {
  const parties = legs.map(calleeOf).join(sequential ? ", then " : " and ");
  return `Calls ${parties}, for ${timeoutS} s`;
}

function calleeOf({ to, target, from }: Invitation): string {
  if (target.kind !== "trunk") return `${to} as ${from}`;
  const [first] = target.routes;
  return first === undefined ? `${to}, which has no route` : `${to} by ${first.proxy} as ${from}`;
}

/** Description of a `consult`: the noun that asks the service when its turn comes. */
function wantedOf(wanted: unknown): string {
  const conference = conferenceOptions.safeParse(wanted);
  if (conference.success) return `Enters the conference ${conference.data.name}`;
  const enqueued = enqueueOptions.safeParse(wanted);
  if (enqueued.success) return `Waits in the queue ${enqueued.data.name}`;
  const dequeued = dequeueOptions.safeParse(wanted);
  if (dequeued.success) return `Takes the first call of the queue ${dequeued.data.name}`;
  const stream = streamOptions.safeParse(wanted);
  if (stream.success) return `Streams the audio of the call to ${shown(stream.data.url)}`;
  const conversation = conversationOptions.safeParse(wanted);
  if (conversation.success) {
    return `Leads a conversation by text with ${shown(conversation.data.url)}`;
  }
  return "Asks the service how to go on";
}

/** Description of a `note`: an order that the service performs. */
function orderOf(noted: unknown): string {
  const { data } = order.safeParse(noted);
  if (data?.kind === "sms") {
    return `Sends a text from ${data.from} to ${data.to}: “${short(data.body)}”`;
  }
  if (data?.kind === "email") return `Sends an e-mail to ${data.to}: “${short(data.subject)}”`;
  if (data?.kind === "geolocation") return `Locates ${data.deviceIdentifier}`;
  return "Notes that the script came here";
}
