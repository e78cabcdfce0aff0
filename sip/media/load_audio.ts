import { unlessAborted } from "../abort.ts";
import { mediaLimits } from "./limits.ts";
import type { LoadAudio, Pcm } from "./port.ts";
import { resample } from "./resample.ts";
import { readWav } from "./wav.ts";

const PCM_RATE = 8_000;

export interface LoadAudioOptions {
  /** Refuses the addresses that a customer's URL must not reach. */
  fetch: typeof fetch;
  /** The longest file taken; `mediaLimits.audioFileBytes` when absent. */
  maxBytes?: number;
  /** The decoded audio kept; `mediaLimits.audioCacheBytes` when absent. */
  cacheBytes?: number;
  /** The time a file may take; `mediaLimits.audioLoadMs` when absent. */
  timeoutMs?: number;
}

/**
 * Loads WAV files over HTTP. The audio used last stays in memory with its validators, so a prompt
 * that has not changed is asked about but neither sent nor decoded again (RFC 9110 §13.1).
 */
export function loadAudio(options: LoadAudioOptions): LoadAudio {
  const { timeoutMs = mediaLimits.audioLoadMs } = options;
  const cache = createCache(options.cacheBytes ?? mediaLimits.audioCacheBytes);
  return async (url, signal) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const either = AbortSignal.any([signal, late.signal]);
    try {
      const pcm = await unlessAborted(load({ ...options, cache }, url, either), either);
      if (pcm !== undefined) return pcm;
      throw new Error(signal.aborted ? "it was aborted" : `it took over ${timeoutMs} ms`);
    } catch (cause) {
      const message = `Cannot load audio from "${url}": ${reason(cause)}`;
      throw new Error(withoutPasswords(message), { cause });
    } finally {
      clearTimeout(timer);
    }
  };
}

async function load(
  { fetch, cache, maxBytes = mediaLimits.audioFileBytes }: LoadAudioOptions & { cache: Cache },
  url: string,
  signal: AbortSignal,
): Promise<Pcm> {
  const known = cache.get(url);
  const response = await fetch(url, { headers: known?.validators ?? {}, signal });
  if (known !== undefined && response.status === 304) {
    await response.body?.cancel();
    return known.pcm;
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status is ${response.status}`);
  }
  const { samples, sampleRate } = readWav(await readBody(response, maxBytes));
  const pcm = await resample(samples, sampleRate, PCM_RATE);
  if (pcm.length === 0) throw new Error("it is empty");
  const validators = validatorsOf(response);
  if (Object.keys(validators).length > 0) cache.set(url, { pcm, validators });
  return pcm;
}

interface CachedAudio {
  pcm: Pcm;
  /** What the next request for it says. */
  validators: Record<string, string>;
}

function validatorsOf({ headers }: Response): Record<string, string> {
  const etag = headers.get("etag");
  const modified = headers.get("last-modified");
  if (etag !== null) return { "if-none-match": etag };
  return modified === null ? {} : { "if-modified-since": modified };
}

/** The text with no user and password in its URLs (RFC 3986 §3.2.1). */
const withoutPasswords = (text: string) => text.replace(/\/\/[^/?#\s"]*@/g, "//");

const reason = (cause: unknown) => cause instanceof Error ? cause.message : String(cause);

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

interface Cache {
  get(url: string): CachedAudio | undefined;
  set(url: string, audio: CachedAudio): void;
}

/** The least recently used audio goes first; a map keeps the order of insertion. */
function createCache(maxBytes: number): Cache {
  const entries = new Map<string, CachedAudio>();
  let bytes = 0;
  const remove = (url: string) => {
    bytes -= entries.get(url)?.pcm.byteLength ?? 0;
    entries.delete(url);
  };
  return {
    get(url) {
      const audio = entries.get(url);
      if (audio === undefined) return undefined;
      entries.delete(url);
      entries.set(url, audio);
      return audio;
    },
    set(url, audio) {
      if (audio.pcm.byteLength > maxBytes) return;
      remove(url);
      entries.set(url, audio);
      bytes += audio.pcm.byteLength;
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
