import { unlessAborted } from "../abort.ts";
import { type AudioCache, audioCache } from "./audio_cache.ts";
import { decodeAudio } from "./decode_audio.ts";
import { type Freshness, freshnessOf, updated } from "./freshness.ts";
import { mediaLimits } from "./limits.ts";
import type { LoadAudio, Pcm } from "./port.ts";
import { readBody } from "./read_body.ts";

export interface LoadAudioOptions {
  /** Refuses the addresses that a customer's URL must not reach. */
  fetch: typeof fetch;
  /** The longest file taken; `mediaLimits.audioFileBytes` when absent. */
  maxBytes?: number;
  /** The decoded audio kept; `mediaLimits.audioCacheBytes` when absent. */
  cacheBytes?: number;
  /** The time a file may take; `mediaLimits.audioLoadMs` when absent. */
  timeoutMs?: number;
  /** In ms. */
  now?: () => number;
}

/**
 * Loads WAV and MP3 files over HTTP. The audio used last stays in memory as long as its server allows
 * (RFC 9111); after that it is asked whether it has changed before it is sent and decoded again.
 */
export function loadAudio(options: LoadAudioOptions): LoadAudio {
  const { timeoutMs = mediaLimits.audioLoadMs } = options;
  const cache = audioCache<CachedAudio>(options.cacheBytes ?? mediaLimits.audioCacheBytes);
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

interface CachedAudio extends Freshness {
  pcm: Pcm;
  headers: Headers;
}

type LoadOptions = LoadAudioOptions & { cache: AudioCache<CachedAudio> };

async function load(options: LoadOptions, url: string, signal: AbortSignal): Promise<Pcm> {
  const { fetch, cache, now = Date.now } = options;
  const known = cache.get(url);
  if (known !== undefined && now() < known.freshUntil) return known.pcm;
  const standIn = known !== undefined && now() < known.staleUntil ? known.pcm : undefined;
  let response: Response;
  try {
    response = await fetch(url, { headers: known?.validators ?? {}, signal });
  } catch (error) {
    if (standIn !== undefined && !signal.aborted) return standIn;
    throw error;
  }
  if (known !== undefined && response.status === 304) {
    await response.body?.cancel();
    keep(cache, url, { pcm: known.pcm, headers: updated(known.headers, response.headers) }, now());
    return known.pcm;
  }
  if (!response.ok) {
    await response.body?.cancel();
    if (standIn !== undefined && response.status >= 500) return standIn;
    cache.remove(url);
    throw new Error(`status is ${response.status}`);
  }
  const bytes = await readBody(response, options.maxBytes ?? mediaLimits.audioFileBytes);
  const pcm = await decodeAudio(bytes, response.headers.get("content-type"));
  keep(cache, url, { pcm, headers: response.headers }, now());
  return pcm;
}

function keep(
  cache: AudioCache<CachedAudio>,
  url: string,
  audio: Pick<CachedAudio, "pcm" | "headers">,
  now: number,
): void {
  const freshness = freshnessOf(audio.headers, now);
  if (freshness === null) cache.remove(url);
  else cache.set(url, { ...audio, ...freshness });
}

/** The text with no user and password in its URLs (RFC 3986 §3.2.1). */
const withoutPasswords = (text: string) => text.replace(/\/\/[^/?#\s"]*@/g, "//");

const reason = (cause: unknown) => cause instanceof Error ? cause.message : String(cause);
