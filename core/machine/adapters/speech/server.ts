import { z } from "zod";
import { isSameSecret } from "../../../accounts/access.ts";
import { writeWav } from "../../../base/wav.ts";
import { type RecognitionEngine, type SpeechEngine, SpeechRefusal } from "./engine.ts";
import { Busy, createGate } from "../../../base/gate.ts";
import { forPrograms } from "../../../base/safe_headers.ts";
import { speechLimits } from "./limits.ts";
import { readWav } from "./read_wav.ts";
import type { SoundCache } from "./sound_cache.ts";

export interface SpeechServerOptions {
  /** Bearer token that requests must carry. */
  secret: string;
  /** Null where nothing is installed that speaks. */
  speech: SpeechEngine | null;
  /** Null where nothing is installed that understands speech. */
  recognition: RecognitionEngine | null;
  cache: SoundCache;
  log(line: string, fields?: Record<string, unknown>): void;
}

const speechRequest = z.object({
  input: z.string().trim().min(1).max(speechLimits.textLength),
  /** A longer name is cut: no engine here knows it, and the refusal shows it. */
  voice: z.string().default("woman").transform((name) => name.slice(0, speechLimits.voiceLength)),
  language: z.string().max(40).default("en-US"),
  speed: z.number().min(0.25).max(4).default(1),
  /** The input with elements of SSML: used by engines that know them. */
  ssml: z.string().max(2 * speechLimits.textLength).optional(),
  response_format: z.literal("wav", "must be wav").default("wav"),
});

type Answer = (request: Request) => Promise<Response>;

/**
 * The speech process over HTTP, with the OpenAI API: `POST /v1/audio/speech` (plus `language`) and
 * `POST /v1/audio/transcriptions` (plus `kind`: a `recording` has no call that waits for it).
 * `GET /health` lists the engines.
 */
export function speechServer(options: SpeechServerOptions): Answer {
  const { secret, speech, recognition, log } = options;
  const routes: Record<string, Answer> = {
    "POST /v1/audio/speech": speaking(options),
    "POST /v1/audio/transcriptions": recognising(options),
    "GET /health": () =>
      Promise.resolve(
        Response.json({ speech: speech?.name ?? null, recognition: recognition?.name ?? null }),
      ),
  };
  const answer = async (request: Request): Promise<Response> => {
    const given = request.headers.get("authorization") ?? "";
    if (!isSameSecret(given, `Bearer ${secret}`)) return refusal(401, "Cannot take the key");
    const route = routes[`${request.method} ${new URL(request.url).pathname}`];
    if (route === undefined) return refusal(404, "Cannot find the path");
    try {
      return await route(request);
    } catch (error) {
      if (error instanceof SpeechRefusal) return refusal(400, error.message);
      if (error instanceof Busy) return refusal(503, error.message);
      log("The speech process cannot answer a request", { error });
      return refusal(500, error instanceof Error ? error.message : String(error));
    }
  };
  return async (request) => forPrograms(await answer(request));
}

const refusal = (status: number, message: string): Response =>
  Response.json({ error: { message, type: "speech_error" } }, { status });

const noSpeech = "Cannot speak: no text-to-speech is installed; install espeak-ng or flite, set " +
  "SPEECH_URL, or allow ESPEAK_PACKAGE";

function speaking({ speech, cache }: SpeechServerOptions): Answer {
  const pass = createGate({ most: speechLimits.speaking, waiting: speechLimits.waiting });
  return async (request) => {
    if (speech === null) {
      await request.body?.cancel();
      return refusal(501, noSpeech);
    }
    const body = new TextDecoder().decode(await readBody(request, speechLimits.requestBytes));
    const parsed = speechRequest.safeParse(jsonOf(body));
    if (!parsed.success) {
      // An error of zod has an issue at least.
      const { path, message } = parsed.error.issues[0]!;
      throw new SpeechRefusal(`Cannot take ${path.join(".") || "the request"}: ${message}`);
    }
    const { input: text, voice, language, speed, ssml } = parsed.data;
    const asked = { text, voice, language, speed, ...ssml !== undefined && { ssml } };
    const key = await hash([speech.name, ...Object.values(asked)]);
    const wav = await cache.get(key) ?? await pass(async () => {
      const sound = await speech.speak(asked, bound(request, 0));
      const made = writeWav(sound.pcm, sound.sampleRate);
      await cache.put(key, made);
      return made;
    });
    return new Response(wav, { headers: { "content-type": "audio/wav" } });
  };
}

function recognising({ recognition }: SpeechServerOptions): Answer {
  const { recognising: most, transcribing, waiting } = speechLimits;
  const utterances = createGate({ most, waiting });
  const recordings = createGate({ most: transcribing, waiting });
  return async (request) => {
    if (recognition === null) {
      await request.body?.cancel();
      return refusal(501, "Cannot recognise speech: pocketsphinx is not installed");
    }
    const body = await readBody(request, speechLimits.audioBytes);
    const type = request.headers.get("content-type") ?? "";
    const form = await new Response(body, { headers: { "content-type": type } }).formData()
      .catch(() => new FormData());
    const file = form.get("file");
    if (!(file instanceof File)) throw new SpeechRefusal("Cannot find the file in the form");
    const text = (name: string) => String(form.get(name) ?? "");
    const sound = readWav(await file.bytes());
    const hints = text("prompt").split(",").map((hint) => hint.trim()).filter(Boolean);
    const soundMs = sound.pcm.length / sound.sampleRate * 1_000;
    const isRecording = text("kind") === "recording" || soundMs > speechLimits.utteranceMs;
    const pass = isRecording ? recordings : utterances;
    const kind = isRecording ? "recording" : "utterance";
    const heard = await pass(() =>
      recognition.recognise(
        sound,
        { language: text("language") || "en", hints, kind },
        bound(request, soundMs),
      )
    );
    return Response.json(heard);
  };
}

/** Aborts when the client has left, or when the work takes too long for the length of the audio. */
function bound(request: Request, soundMs: number): AbortSignal {
  const mostMs = soundMs === 0
    ? speechLimits.speakMs
    : speechLimits.recogniseMs + soundMs * speechLimits.recogniseFactor;
  return AbortSignal.any([request.signal, AbortSignal.timeout(mostMs)]);
}

async function hash(parts: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(parts));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SpeechRefusal("Cannot read the request: it is no JSON");
  }
}

async function readBody(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > most) throw new SpeechRefusal(`Cannot take a request of more than ${most} bytes`);
    parts.push(part);
  }
  return await new Blob(parts).bytes();
}
