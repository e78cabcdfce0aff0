import { z } from "zod";
import { limits } from "../base/limits.ts";
import * as part from "./parts.ts";

const next = part.stepName.optional();

/** What is said in a USSD dialogue; how long it may be depends on its letters. */
const ussdText = part.text(limits.ussdGsmLength);

const prompted = {
  prompts: part.parts(part.prompt).optional(),
  timeout: part.whole(1, limits.gatherTimeoutMaxS).optional(),
  finishOnKey: part.keys.optional(),
};

const speaking = {
  say: z.strictObject({
    type: z.literal("say"),
    text: part.text(limits.sayLength),
    voice: part.voice.optional(),
    language: part.language.optional(),
    loop: part.whole(0, limits.loopMax).optional(),
    next,
  }),
  play: z.strictObject({
    type: z.literal("play"),
    url: part.urlText,
    loop: part.whole(0, limits.loopMax).optional(),
    next,
  }),
  gather: z.strictObject({
    type: z.literal("gather"),
    ...prompted,
    numDigits: part.whole(1, limits.gatherDigits).optional(),
    input: z.array(z.enum(["dtmf", "speech"])).min(1).max(2).optional(),
    language: part.language.optional(),
    hints: z.array(z.string().min(1).max(100).regex(/^[^,]*$/, "must hold no comma"))
      .max(limits.flowParts).optional(),
    branches: part.parts(part.branch).optional(),
    noInput: next.describe("When nothing came; where it is absent, next."),
    next: next.describe("After an input that no branch is for."),
  }),
  record: z.strictObject({
    type: z.literal("record"),
    timeout: part.whole(1, limits.recordTimeoutMaxS).optional(),
    finishOnKey: part.keys.optional(),
    maxLength: part.whole(1, limits.recordLengthMaxS).optional(),
    playBeep: z.boolean().optional(),
    transcribe: z.boolean().optional(),
    noRecording: next.describe("When nobody spoke; where it is absent, next."),
    next,
  }),
  dial: z.strictObject({
    type: z.literal("dial"),
    to: z.array(part.callee).min(1).max(limits.dialLegs),
    callerId: part.text(255).optional(),
    timeout: part.whole(1, limits.ringTimeoutMaxS).optional(),
    timeLimit: part.whole(1, limits.dialTimeLimitS).optional(),
    record: z.boolean().optional(),
    onFailure: next.describe("When nobody was talked to; where it is absent, next."),
    next,
  }),
};

const ussd = {
  ussdMessage: z.strictObject({ type: z.literal("ussdMessage"), text: ussdText, next }),
  ussdCollect: z.strictObject({
    type: z.literal("ussdCollect"),
    text: ussdText,
    branches: part.parts(part.branch).optional(),
    next,
  }),
};

const sending = {
  sms: z.strictObject({
    type: z.literal("sms"),
    to: part.text(255).optional(),
    from: part.text(255).optional(),
    text: part.text(limits.sayLength),
    next,
  }),
  email: z.strictObject({
    type: z.literal("email"),
    from: part.text(255),
    to: part.text(2_000),
    cc: part.text(2_000).optional(),
    bcc: part.text(2_000).optional(),
    subject: part.text(1_000),
    text: part.text(limits.parameterLength),
    next,
  }),
};

const deciding = {
  externalService: z.strictObject({
    type: z.literal("externalService"),
    url: part.urlText,
    method: part.method.optional(),
    contentType: z.enum(["form", "json"]).optional(),
    username: part.text(255).optional(),
    password: part.text(255).optional(),
    parameters: part.parts(part.parameter).optional().describe(
      "For the query of a GET, or the form of a POST.",
    ),
    population: z.enum(["auto", "manual"]).optional().describe(
      "auto makes a form of the parameters; manual sends the body, and no parameters.",
    ),
    body: part.text(limits.flowBytes).optional(),
    extract: z.record(part.variableName, z.string().max(255)).optional().describe(
      "Variables, each with its place in a JSON answer such as user.names.0; empty is all of it.",
    ),
    onRemoteError: next.describe("After an HTTP error code, or no answer."),
    next,
  }),
  control: z.strictObject({
    type: z.literal("control"),
    set: z.record(part.variableName, z.string().max(limits.flowVariableLength)).optional().describe(
      "Done first.",
    ),
    conditions: part.parts(part.condition).optional(),
    next: next.describe("When no condition holds."),
  }),
  redirect: z.strictObject({
    type: z.literal("redirect"),
    url: part.urlText,
    method: part.method.optional(),
  }),
  hangup: z.strictObject({ type: z.literal("hangup") }),
};

/** Every kind of step, by its `type`. */
export const stepKinds = { ...speaking, ...ussd, ...sending, ...deciding } as const;

export type StepType = keyof typeof stepKinds;
export type StepOf<T extends StepType> = z.infer<(typeof stepKinds)[T]>;
export type FlowStep = { [T in StepType]: StepOf<T> }[StepType];

/** The steps that an application of each kind may have. */
export const stepsOfKind: Record<"voice" | "sms" | "ussd", ReadonlySet<string>> = {
  voice: new Set(Object.keys({ ...speaking, ...sending, ...deciding })),
  sms: new Set(Object.keys({ ...sending, ...deciding })),
  ussd: new Set(Object.keys({ ...ussd, ...sending, ...deciding })),
};

/** What an application does, step by step, without a server that answers markup. */
export const flow = z.strictObject({
  start: part.stepName.describe("The first step."),
  variables: z.record(part.variableName, z.string().max(limits.flowVariableLength)).optional()
    .describe("What variables are at the beginning."),
  steps: z.record(
    part.stepName,
    z.discriminatedUnion(
      "type",
      Object.values(stepKinds) as unknown as [
        (typeof stepKinds)["say"],
        ...(typeof stepKinds)[StepType][],
      ],
    ),
  ),
});

export interface Flow {
  start: string;
  variables?: Record<string, string>;
  steps: Record<string, FlowStep>;
}
