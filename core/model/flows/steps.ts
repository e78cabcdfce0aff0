import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { isTimeZone } from "./local_time.ts";
import * as part from "./parts.ts";

const next = part.stepName.optional().describe(
  "Name of the step that follows; without it the flow ends.",
);

/** Text of a USSD dialogue; the longest one depends on its alphabet. */
const ussdText = part.text(limits.ussdGsmLength);

const prompted = {
  prompts: part.parts(part.prompt).optional().describe(
    "What the caller hears before and while the input is awaited.",
  ),
  timeout: part.whole(1, limits.gatherTimeoutMaxS).optional().describe(
    "Seconds of silence that end the input.",
  ),
  finishOnKey: part.keys.optional().describe("Keys that end the input."),
};

const speaking = {
  say: z.strictObject({
    type: z.literal("say").describe("Kind of the step: say."),
    text: part.text(limits.sayLength).describe(
      "Text that is spoken. `$name` stands for a variable.",
    ),
    voice: part.voice.optional().describe("Voice of the text-to-speech."),
    language: part.language.optional().describe("Language, a tag such as en-US (BCP 47)."),
    loop: part.whole(0, limits.loopMax).optional().describe(
      "How often it is repeated; 0 repeats without end.",
    ),
    next,
  }),
  play: z.strictObject({
    type: z.literal("play").describe("Kind of the step: play."),
    url: part.urlText.describe("URL of the audio. `$name` stands for a variable."),
    loop: part.whole(0, limits.loopMax).optional().describe(
      "How often it is repeated; 0 repeats without end.",
    ),
    next,
  }),
  gather: z.strictObject({
    type: z.literal("gather").describe("Kind of the step: gather."),
    ...prompted,
    numDigits: part.whole(1, limits.gatherDigits).optional().describe(
      "Number of digits that ends the input.",
    ),
    input: z.array(z.enum(["dtmf", "speech"])).min(1).max(2).optional().describe(
      "Kinds of input: dtmf, speech or both.",
    ),
    language: part.language.optional().describe("Language, a tag such as en-US (BCP 47)."),
    hints: z.array(z.string().min(1).max(100).regex(/^[^,]*$/, "must hold no comma"))
      .max(limits.flowParts).optional().describe("Words and phrases that are expected."),
    branches: part.parts(part.branch).optional().describe("Steps that follow certain inputs."),
    noInput: next.describe("Name of the step that follows without an input; `next` unless set."),
    next: next.describe(
      "Name of the step that follows an input without a branch; without it the flow ends.",
    ),
  }),
  record: z.strictObject({
    type: z.literal("record").describe("Kind of the step: record."),
    timeout: part.whole(1, limits.recordTimeoutMaxS).optional().describe(
      "Seconds of silence that end the recording.",
    ),
    finishOnKey: part.keys.optional().describe("Keys that end the recording."),
    maxLength: part.whole(1, limits.recordLengthMaxS).optional().describe(
      "Seconds that the recording lasts at most.",
    ),
    playBeep: z.boolean().optional().describe("Whether a beep is played before."),
    transcribe: z.boolean().optional().describe("Whether the recording is transcribed."),
    noRecording: next.describe(
      "Name of the step that follows when nothing was recorded; `next` unless set.",
    ),
    next,
  }),
  dial: z.strictObject({
    type: z.literal("dial").describe("Kind of the step: dial."),
    to: z.array(part.callee).min(1).max(limits.dialLegs).describe(
      "Callees, which are called at once.",
    ),
    callerId: part.text(255).optional().describe(
      "Caller ID that the callees see. `$name` stands for a variable.",
    ),
    timeout: part.whole(1, limits.ringTimeoutMaxS).optional().describe(
      "Seconds that the callees ring.",
    ),
    timeLimit: part.whole(1, limits.dialTimeLimitS).optional().describe(
      "Seconds that the connected call lasts at most.",
    ),
    record: z.boolean().optional().describe("Whether the connected call is recorded."),
    onFailure: next.describe(
      "Name of the step that follows when no callee answered; `next` unless set.",
    ),
    next,
  }),
};

const queueing = {
  enqueue: z.strictObject({
    type: z.literal("enqueue").describe("Kind of the step: enqueue."),
    queue: part.text(limits.queueNameLength).describe(
      "Name of the queue, which is created when the first caller enters it. `$name` stands for a variable.",
    ),
    prompts: part.parts(part.prompt).optional().describe(
      "What the caller hears while waiting, again and again, with music in between. `$QueuePosition`, `$QueueTime` and `$CurrentQueueSize` stand for the place, the seconds waited and the number of callers.",
    ),
    musicS: part.whole(0, limits.pauseMaxS).optional().describe(
      `Seconds of music after the prompts; ${limits.queueMusicS} unless set.`,
    ),
    waitUrl: part.urlText.optional().describe(
      "URL of audio or markup that the caller hears in place of prompts and music. `$name` stands for a variable.",
    ),
    leaveKey: z.string().regex(/^[0-9*#]$/, "must be a key of a telephone").optional().describe(
      "Key by which the caller leaves the queue.",
    ),
    maxWait: part.whole(1, limits.queueWaitMaxS).optional().describe(
      "Seconds after which the caller leaves the queue, once the prompts are over; no limit unless set.",
    ),
    maxSize: part.whole(1, limits.queueMembers).optional().describe(
      `Most callers in the queue; ${limits.queueMembers} unless set.`,
    ),
    onLeave: next.describe(
      "Name of the step that follows when the caller left without an agent: by the key, after the longest wait, or by hanging up; `next` unless set.",
    ),
    onFull: next.describe(
      "Name of the step that follows when the queue is full; `next` unless set.",
    ),
    onError: next.describe(
      "Name of the step that follows when the queue cannot be used; `next` unless set.",
    ),
    next: next.describe(
      "Name of the step that follows the conversation with an agent; without it the flow ends.",
    ),
  }),
};

const ussd = {
  ussdMessage: z.strictObject({
    type: z.literal("ussdMessage").describe("Kind of the step: ussdMessage."),
    text: ussdText.describe("Text that is shown. `$name` stands for a variable."),
    next,
  }),
  ussdCollect: z.strictObject({
    type: z.literal("ussdCollect").describe("Kind of the step: ussdCollect."),
    text: ussdText.describe("Text that asks for a reply. `$name` stands for a variable."),
    branches: part.parts(part.branch).optional().describe("Steps that follow certain replies."),
    next,
  }),
};

const sending = {
  sms: z.strictObject({
    type: z.literal("sms").describe("Kind of the step: sms."),
    to: part.text(255).optional().describe(
      "Recipient; the other party unless set. `$name` stands for a variable.",
    ),
    from: part.text(255).optional().describe(
      "Sender; our number unless set. `$name` stands for a variable.",
    ),
    text: part.text(limits.sayLength).describe(
      "Text of the message. `$name` stands for a variable.",
    ),
    next,
  }),
  email: z.strictObject({
    type: z.literal("email").describe("Kind of the step: email."),
    from: part.text(255).describe("Sender. `$name` stands for a variable."),
    to: part.text(2_000).describe(
      "Recipients, separated by commas. `$name` stands for a variable.",
    ),
    cc: part.text(2_000).optional().describe(
      "Recipients of copies, separated by commas. `$name` stands for a variable.",
    ),
    bcc: part.text(2_000).optional().describe(
      "Recipients of blind copies, separated by commas. `$name` stands for a variable.",
    ),
    subject: part.text(1_000).describe("Subject. `$name` stands for a variable."),
    text: part.text(limits.parameterLength).describe(
      "Text of the message. `$name` stands for a variable.",
    ),
    next,
  }),
};

const deciding = {
  externalService: z.strictObject({
    type: z.literal("externalService").describe("Kind of the step: externalService."),
    url: part.urlText.describe("URL of the request. `$name` stands for a variable."),
    method: part.method.optional().describe("HTTP method: GET (default) or POST."),
    contentType: z.enum(["form", "json"]).optional().describe(
      "Content type of the body: form (default) or json.",
    ),
    username: part.text(255).optional().describe("User name of HTTP Basic authentication."),
    password: part.text(255).optional().describe("Password of HTTP Basic authentication."),
    parameters: part.parts(part.parameter).optional().describe(
      "Parameters in the query of a GET or the form of a POST.",
    ),
    population: z.enum(["auto", "manual"]).optional().describe(
      "Source of the body: auto sends the parameters as a form, manual sends `body`.",
    ),
    body: part.text(limits.flowBytes).optional().describe(
      "Body of the request with population manual. `$name` stands for a variable.",
    ),
    extract: z.record(part.variableName, z.string().max(255)).optional().describe(
      "Variables and their paths in the JSON response, such as user.names.0; an empty path takes the whole response.",
    ),
    onRemoteError: next.describe(
      "Name of the step that follows an HTTP error or no response; `next` unless set.",
    ),
    next,
  }),
  control: z.strictObject({
    type: z.literal("control").describe("Kind of the step: control."),
    set: z.record(part.variableName, z.string().max(limits.flowVariableLength)).optional().describe(
      "Variables that are set first, with their values.",
    ),
    conditions: part.parts(part.condition).optional().describe(
      "Conditions, tried in order; the first that holds decides.",
    ),
    next: next.describe("Name of the step that follows when no condition holds."),
  }),
  redirect: z.strictObject({
    type: z.literal("redirect").describe("Kind of the step: redirect."),
    url: part.urlText.describe("URL of the markup that takes over. `$name` stands for a variable."),
    method: part.method.optional().describe("HTTP method of the request: GET or POST (default)."),
  }),
  hangup: z.strictObject({
    type: z.literal("hangup").describe("Kind of the step: hangup."),
  }),
};

/** Every kind of step, by its `type`. */
export const stepKinds = { ...speaking, ...queueing, ...ussd, ...sending, ...deciding } as const;

export type StepType = keyof typeof stepKinds;
export type StepOf<T extends StepType> = z.infer<(typeof stepKinds)[T]>;
export type FlowStep = { [T in StepType]: StepOf<T> }[StepType];

/** The steps that an application of each kind may have. */
export const stepsOfKind: Record<"voice" | "sms" | "ussd", ReadonlySet<string>> = {
  voice: new Set(Object.keys({ ...speaking, ...queueing, ...sending, ...deciding })),
  sms: new Set(Object.keys({ ...sending, ...deciding })),
  ussd: new Set(Object.keys({ ...ussd, ...sending, ...deciding })),
};

/** Call flow: the steps of an application, which needs no server that answers markup. */
export const flow = z.strictObject({
  start: part.stepName.describe("Name of the first step."),
  variables: z.record(part.variableName, z.string().max(limits.flowVariableLength)).optional()
    .describe("Variables and their initial values."),
  timeZone: z.string().max(64).refine(isTimeZone, {
    message: "must be a time zone such as Europe/Berlin",
  }).optional().describe(
    "Time zone (IANA) of the variables LocalTime, LocalDate and Weekday; without it there are none.",
  ),
  steps: z.record(
    part.stepName,
    z.discriminatedUnion(
      "type",
      // Object.values() forgets that there is one kind at least.
      Object.values(stepKinds) as unknown as [
        (typeof stepKinds)["say"],
        ...(typeof stepKinds)[StepType][],
      ],
    ),
  ).describe("Steps by their names."),
  positions: z.record(part.stepName, part.position).optional().describe(
    "Where the designer shows the steps, by their names; without effect on what the flow does.",
  ),
});

export interface Flow {
  start: string;
  variables?: Record<string, string>;
  timeZone?: string;
  steps: Record<string, FlowStep>;
  positions?: Record<string, { x: number; y: number }>;
}
