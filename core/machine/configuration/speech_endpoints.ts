import type { Config } from "./config.ts";

/** A provider of text-to-speech or speech recognition, in the form of OpenAI. */
export interface SpeechEndpoint {
  url: string;
  key: string;
  model: string;
  /** The speech process on this machine, whose requests also have the language. */
  isLocal: boolean;
}

export const localSpeechUrl = ({ SPEECH_PORT }: Pick<Config, "SPEECH_PORT">): string =>
  `http://127.0.0.1:${SPEECH_PORT}`;

/** True when the speech process speaks or recognises. */
export const needsSpeechProcess = ({ SPEECH_URL, RECOGNITION_URL }: Config): boolean =>
  SPEECH_URL === "" || RECOGNITION_URL === "";

/** The text-to-speech endpoint; null when none is configured. */
export const speechEndpoint = (config: Config): SpeechEndpoint | null =>
  config.SPEECH_URL === "" ? local(config) : {
    url: baseOf(config.SPEECH_URL),
    key: config.SPEECH_KEY,
    model: config.SPEECH_MODEL,
    isLocal: false,
  };

/** The speech recognition endpoint; null when none is configured. */
export const recognitionEndpoint = (config: Config): SpeechEndpoint | null =>
  config.RECOGNITION_URL === "" ? local(config) : {
    url: baseOf(config.RECOGNITION_URL),
    key: config.RECOGNITION_KEY,
    model: config.RECOGNITION_MODEL,
    isLocal: false,
  };

/** Names of the voices of Say at SPEECH_URL. */
export const voiceNames = ({ SPEECH_VOICES, SPEECH_URL }: Config): Map<string, string> =>
  new Map(
    SPEECH_URL === "" ? [] : SPEECH_VOICES.split(",").filter(Boolean).map((pair) => {
      const [name = "", ...rest] = pair.split("=");
      return [name, rest.join("=")];
    }),
  );

/** Its secret comes from the supervisor that started it, or from the operator. */
const local = (config: Config): SpeechEndpoint | null =>
  config.SPEECH_SECRET === ""
    ? null
    : { url: localSpeechUrl(config), key: config.SPEECH_SECRET, model: "local", isLocal: true };

/** Many say the address of a provider with its version, which we add ourselves. */
const baseOf = (url: string): string => url.replace(/\/v1$/, "");
