import { z } from "zod";
import { limits } from "../../base/limits.ts";

/** Schemas that the steps of a flow share. */

/** The name of a step of this flow. */
export const stepName = z.string().regex(
  /^[A-Za-z]\w{0,63}$/,
  "must be a letter and at most 63 letters, digits and _",
);

export const variableName = z.string().regex(
  /^[A-Za-z_]\w{0,63}$/,
  "must be a letter or _ and at most 63 letters, digits and _",
);

/** A text in which `$name` stands for a variable. */
export const text = (length: number) => z.string().min(1).max(length);

/** An http or https URL; variables may stand in it, also at its beginning. */
export const urlText = text(limits.urlLength).refine(
  (url) => /^\$[A-Za-z_]/.test(url) || /^https?:\/\//i.test(url) && URL.canParse(url),
  "must be an absolute http or https URL, or begin with a variable",
);

export const whole = (min: number, max: number) => z.number().int().min(min).max(max);

export const method = z.enum(["GET", "POST"]);

export const language = z.string().regex(
  /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/,
  "must be a language tag like en-US",
);

export const voice = z.string().regex(/^[\w./:-]{1,40}$/, "must be a name of a voice");

export const keys = z.string().max(limits.keySetLength).regex(
  /^[0-9A-D*#]*$/,
  "must be keys of a telephone",
);

/** A list of at least one part, and not too many. */
export const parts = <T extends z.ZodType>(part: T) => z.array(part).min(1).max(limits.flowParts);

/** Prompt: audio or text before and during a wait for input. */
export const prompt = z.strictObject({
  say: text(limits.sayLength).optional().describe(
    "Text that is spoken (text-to-speech). `$name` stands for a variable.",
  ),
  play: urlText.optional().describe("URL of audio that is played. `$name` stands for a variable."),
  pauseS: whole(1, limits.pauseMaxS).optional().describe("Seconds of silence."),
  voice: voice.optional().describe("Voice of the text-to-speech."),
  language: language.optional().describe("Language of the text, a tag such as en-US (BCP 47)."),
}).refine(
  ({ say, play, pauseS }) => [say, play, pauseS].filter((one) => one !== undefined).length === 1,
  "needs one of say, play and pauseS",
);

/** Branch: the next step after an input. */
export const branch = z.strictObject({
  digits: z.string().regex(/^[0-9A-D*#]{1,32}$/, "must be keys of a telephone").optional()
    .describe("The digits, all of them."),
  speech: text(200).optional().describe("What is among the words said, in any case."),
  next: stepName.describe("Name of the step that follows."),
}).refine(
  ({ digits, speech }) => (digits === undefined) !== (speech === undefined),
  "needs either digits or speech",
);

/** The target of a dial: one of these. */
export const callee = z.strictObject({
  number: text(255).optional().describe("Phone number."),
  client: text(255).optional().describe("Login of a Client."),
  sip: text(255).optional().describe("SIP address."),
  conference: text(limits.conferenceNameLength).optional().describe("Name of a conference."),
  queue: text(limits.queueNameLength).optional().describe(
    "Name of a queue, whose longest-waiting caller is taken; it is dialled alone.",
  ),
}).refine(
  (callee) => Object.keys(callee).length === 1,
  "needs one of number, client, sip, conference and queue",
);

/** Compares a variable with a value, in which `$name` stands for another; a number with a number. */
export const condition = z.strictObject({
  variable: variableName.describe("Name of the variable that is compared."),
  is: z.enum([
    "equal",
    "notEqual",
    "containing",
    "startingWith",
    "greater",
    "less",
    "empty",
    "notEmpty",
  ]).describe("Comparison."),
  value: z.string().max(limits.flowVariableLength).optional().describe(
    "Value that the variable is compared with; absent for empty and notEmpty. `$name` stands for a variable.",
  ),
  next: stepName.describe("Name of the step that follows when the condition holds."),
}).refine(
  ({ is, value }) => /mpty$/.test(is) === (value === undefined),
  "needs a value, unless it is about empty or notEmpty, which has none",
);

/** A parameter of a request. */
export const parameter = z.strictObject({
  name: z.string().min(1).max(100).describe("Name of the parameter."),
  value: z.string().max(limits.flowVariableLength).describe(
    "Value of the parameter. `$name` stands for a variable.",
  ),
});

/** Position of a step in the designer, in pixels from the upper left corner. */
export const position = z.strictObject({
  x: whole(0, 100_000).describe("Pixels from the left."),
  y: whole(0, 100_000).describe("Pixels from the top."),
});
