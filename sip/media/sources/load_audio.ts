import { steadyNow } from "../../../core/base/steady_clock.ts";
import { plainReason } from "../../../core/base/plain_reason.ts";
import { overReason, unlessAborted } from "../../../core/base/abort.ts";
import { type AudioCache, audioCache } from "./audio_cache.ts";
import { decodeAudio } from "../codecs/decode_audio.ts";
import { type Freshness, freshnessOf, isForOne, updated } from "./freshness.ts";
import { mediaLimits } from "../base/limits.ts";
import type { LoadAudio, Pcm } from "../base/port.ts";
import { readBody } from "./read_body.ts";
import { shareLoads } from "./share_loads.ts";

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
 * (RFC 9111); after that it is asked whether it has changed before it is sent and decoded again. What
 * several want at the same time is asked for once, unless its server says that it is for one alone.
 *
 * The cache is a private one without heuristics, with `stale-if-error` (RFC 5861), so that a prompt outlives
 * an outage of its server. The first bytes tell the type. MP3 of more than 16 million samples is refused.
 */
export function loadAudio(options: LoadAudioOptions): LoadAudio {
  const cache = audioCache<CachedAudio>(options.cacheBytes ?? mediaLimits.audioCacheBytes);
  const loads = shareLoads((url, signal) => loadInTime({ ...options, cache }, url, signal));
  return async (url, signal) => {
    try {
      const shared = await loads.wait(url, signal);
      const loaded = shared === undefined || shared.isOwn || shared.value.isForAll
        ? shared?.value
        : await unlessAborted(loadInTime({ ...options, cache }, url, signal), signal);
      if (loaded !== undefined) return loaded.pcm;
      throw new Error("it was aborted");
    } catch (cause) {
      const message = `Cannot load audio from "${url}": ${reason(cause)}`;
      throw new Error(withoutPasswords(message), { cause });
    }
  };
}

/** Loaded audio, and permission to share it with requests that came meanwhile. */
interface Loaded {
  pcm: Pcm;
  isForAll: boolean;
}

interface CachedAudio extends Freshness {
  pcm: Pcm;
  headers: Headers;
}

type LoadOptions = LoadAudioOptions & { cache: AudioCache<CachedAudio> };

async function loadInTime(
  options: LoadOptions,
  url: string,
  signal: AbortSignal,
): Promise<Loaded> {
  const { timeoutMs = mediaLimits.audioLoadMs } = options;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(overReason), timeoutMs);
  const either = AbortSignal.any([signal, late.signal]);
  try {
    const loaded = await unlessAborted(load(options, url, either), either);
    if (loaded !== undefined) return loaded;
    throw new Error(signal.aborted ? "it was aborted" : `it took over ${timeoutMs} ms`);
  } finally {
    clearTimeout(timer);
  }
}

async function load(options: LoadOptions, url: string, signal: AbortSignal): Promise<Loaded> {
  const { fetch, cache, now = steadyNow } = options;
  const known = cache.get(url);
  if (known !== undefined && now() < known.freshUntil) return { pcm: known.pcm, isForAll: true };
  const standIn = known !== undefined && now() < known.staleUntil
    ? { pcm: known.pcm, isForAll: true }
    : undefined;
  let response: Response;
  try {
    response = await fetch(url, { headers: known?.validators ?? {}, signal });
  } catch (error) {
    if (standIn !== undefined && !signal.aborted) return standIn;
    throw signal.aborted ? error : new Error(plainReason(error), { cause: error });
  }
  if (known !== undefined && response.status === 304) {
    await response.body?.cancel();
    keep(cache, url, { pcm: known.pcm, headers: updated(known.headers, response.headers) }, now());
    return { pcm: known.pcm, isForAll: true };
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
  return { pcm, isForAll: !isForOne(response.headers) };
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
