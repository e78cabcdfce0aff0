import { identifiedFetch } from "../net/identified_fetch.ts";
import { readText } from "../../base/exchange.ts";
import { Fault } from "../../base/faults.ts";
import { limits } from "../../base/limits.ts";
import type { Transcriber } from "../../model/ports/providers.ts";
import { createGate } from "../../base/gate.ts";
import type { SpeechEndpoint } from "../configuration/speech_endpoints.ts";

/**
 * Transcription by a provider over HTTP in the OpenAI form. Its address is the operator's, so it may
 * be a private one. At most `limits.transcriptionsAtOnce` are under way, as their audio is in memory.
 */
export function httpTranscriber(endpoint: SpeechEndpoint): Transcriber {
  const waiting = Infinity;
  const pass = createGate({ most: limits.transcriptionsAtOnce, waiting });
  const passLong = createGate({ most: limits.longTranscriptionsAtOnce, waiting });
  return {
    transcribe(audio, signal) {
      const work = () => pass(() => ask(endpoint, audio, signal));
      return audio.isLong ? passLong(work) : work();
    },
  };
}

async function ask(
  { url, key, model, isLocal }: SpeechEndpoint,
  { open, mostMs, language }: Parameters<Transcriber["transcribe"]>[0],
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const form = new FormData();
  form.set("file", new File(await readAudio(await open()), "recording.wav", wavType));
  form.set("model", model);
  form.set("response_format", "json");
  if (isLocal) form.set("kind", "recording");
  const told = isLocal ? language : language?.split(/[-_]/, 1).join("").toLowerCase();
  if (told !== undefined) form.set("language", told);
  const headers = new Headers(key === "" ? {} : { authorization: `Bearer ${key}` });
  const late = AbortSignal.timeout(mostMs);
  const bounded = AbortSignal.any([signal, late]);
  try {
    const request = { method: "POST", headers, body: form, signal: bounded };
    return await textIn(await identifiedFetch(`${url}/v1/audio/transcriptions`, request));
  } catch (cause) {
    if (!late.aborted || signal.aborted || cause instanceof Fault) throw cause;
    throw new Error(`the recogniser took over ${Math.ceil(mostMs / 1_000)} s`, { cause });
  }
}

const wavType = { type: "audio/wav" };

async function readAudio(
  content: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of content) {
    size += part.length;
    if (size > limits.transcriptionBytes) {
      throw new Fault(
        "notTranscribed",
        `the recording is larger than ${limits.transcriptionBytes >> 20} MiB`,
      );
    }
    parts.push(part);
  }
  return parts;
}

/** A refusal is final, unless it is about the moment: 408, 429 and 5xx but 501. */
async function textIn(response: Response): Promise<string> {
  const { text, isWhole } = await readText(response, limits.transcriptionAnswerBytes);
  const { status } = response;
  const answer = parsed(text);
  if (!response.ok) {
    const why = answer?.error?.message ?? `its status is ${status}`;
    const detail = `the speech recognizer failed: ${String(why).slice(0, 300)}`;
    const mayChange = status === 408 || status === 429 || status > 501 || status === 500;
    throw mayChange ? new Error(detail) : new Fault("notTranscribed", detail);
  }
  if (isWhole && typeof answer?.text === "string") return answer.text.trim();
  throw new Fault("notTranscribed", "cannot parse the response of the speech recognizer");
}

function parsed(text: string): { text?: unknown; error?: { message?: unknown } } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
