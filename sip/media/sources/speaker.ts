import { plainReason } from "../../../core/base/plain_reason.ts";
import { unlessAborted } from "../../../core/base/abort.ts";
import { audioCache } from "./audio_cache.ts";
import { decodeAudio } from "../codecs/decode_audio.ts";
import { mediaLimits } from "../base/limits.ts";
import type { Pcm } from "../base/port.ts";
import { readBody } from "./read_body.ts";
import { providerError } from "./provider_error.ts";

export interface Utterance {
  text: string;
  /** `woman`, `man`, or a name that the provider knows. */
  voice: string;
  /** A language tag such as `en-US`. */
  language: string;
  /** The text with elements of SSML, for a provider that knows them. */
  ssml?: string | undefined;
}

/**
 * Makes speech of text. `Say` splits a text at sentences, so that the first one plays while the next one is
 * made; a text has at most 10,000 characters. Audio is cached: 16 MiB in the companion, 256 MiB in
 * `DATA_DIR/speech`. A voice that the provider refuses is replaced by `woman`, with a Notification, so that a
 * misspelt voice is heard and noticed. A language that it does not have is not said.
 */
export interface Speaker {
  /**
   * The samples of an utterance; within a bounded time, or rejects with an Error that says why they
   * cannot be had: `SpeechRefused` where others could be.
   */
  speak(utterance: Utterance, signal: AbortSignal): Promise<Pcm>;
  /** True where the operator has said what a voice of a name is called at the provider. */
  knowsVoice?(name: string): boolean;
}

/** The provider does not take the utterance, such as one in a voice that it does not know. */
export class SpeechRefused extends Error {
  override readonly name = "SpeechRefused";
}

/** The statuses by which providers say so. */
const refusals = [400, 404, 422];

export interface SpeakerOptions {
  fetch: typeof fetch;
  /** A provider with OpenAI's interface; requests to an `isLocal` one have the language too. */
  endpoint: { url: string; key: string; model: string; isLocal: boolean };
  /** Names of voices at the provider; others go by their own names. */
  voices: ReadonlyMap<string, string>;
  /** `mediaLimits.speechMs` and `speechCacheBytes` unless given. */
  timeoutMs?: number;
  cacheBytes?: number;
}

/**
 * Speech from a provider over HTTP. What was said lately stays in memory, and what is asked for by
 * several calls at the same time is asked for once.
 */
export function httpSpeaker(options: SpeakerOptions): Speaker {
  const { timeoutMs = mediaLimits.speechMs } = options;
  const cache = audioCache<{ pcm: Pcm }>(options.cacheBytes ?? mediaLimits.speechCacheBytes);
  const underWay = new Map<string, Promise<Pcm>>();

  const make = (key: string, utterance: Utterance): Promise<Pcm> => {
    const made = request(options, utterance, timeoutMs).then((pcm) => {
      cache.set(key, { pcm });
      return pcm;
    }).finally(() => underWay.delete(key));
    underWay.set(key, made);
    return made;
  };

  return {
    knowsVoice: (name) => options.voices.has(name),
    async speak({ text, voice, language, ssml }, signal) {
      const key = JSON.stringify([ssml ?? text, voice, language]);
      const known = cache.get(key);
      if (known !== undefined) return known.pcm;
      // A hang-up ends the wait and not the request: other legs may wait for it too.
      const making = underWay.get(key) ?? make(key, { text, voice, language, ssml });
      const pcm = await unlessAborted(making, signal);
      if (pcm === undefined) throw new Error("Cannot speak: it was aborted");
      return pcm;
    },
  };
}

async function request(
  { fetch, endpoint, voices }: SpeakerOptions,
  { text, voice, language, ssml }: Utterance,
  timeoutMs: number,
): Promise<Pcm> {
  const { url, key, model, isLocal } = endpoint;
  const signal = AbortSignal.timeout(timeoutMs);
  let isRefused = false;
  try {
    const response = await fetch(`${url}/v1/audio/speech`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...key !== "" && { authorization: `Bearer ${key}` },
      },
      body: JSON.stringify({
        model,
        input: text,
        voice: voices.get(voice) ?? voice,
        response_format: "wav",
        ...isLocal && { language, ...ssml !== undefined && { ssml } },
      }),
      signal,
    });
    isRefused = refusals.includes(response.status);
    if (!response.ok) throw new Error(await providerError(response));
    const bytes = await readBody(response, mediaLimits.audioFileBytes);
    return await decodeAudio(bytes, response.headers.get("content-type"));
  } catch (error) {
    const told = plainReason(error);
    const why = signal.aborted ? `it took over ${timeoutMs} ms` : told;
    throw new (isRefused ? SpeechRefused : Error)(
      `the speech provider at ${new URL(url).origin} did not help: ${why}`,
      { cause: error },
    );
  }
}
