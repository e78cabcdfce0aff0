import type { TranscribedEvent, TranscribeLegStep } from "../../core/protocol/leg_tasks.ts";
import { sipLimits } from "../base/limits.ts";
import type { Calls } from "../contracts/calls.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import {
  createVoiceDetector,
  forAccount,
  FRAME_SAMPLES,
  type MediaLeg,
  type Pcm,
  type Recogniser,
} from "../media/mod.ts";
import { createUtterances, type Utterances } from "./steps/utterance.ts";

/** A transcription under way. */
export interface Transcribing {
  name?: string;
  stop(): void;
}

type Track = "inbound" | "outbound";
type News = TranscribedEvent["news"];

interface Transcription {
  step: TranscribeLegStep;
  recogniser: Recogniser;
  tell(news: News): void;
  /** Recognition under way, one after the other for each track. */
  last: Record<Track, Promise<void>>;
  signal: AbortSignal;
}

/**
 * Reports what is said on the tracks of a leg, utterance by utterance, until `ended`. The last words
 * may take `sipLimits.lastWordsMs` after that.
 */
export async function transcribe(
  { calls, accountSid, media, report, ended }: {
    calls: Calls;
    accountSid: string;
    media: MediaLeg;
    report: LiveLeg["report"];
    ended: Promise<void>;
  },
  step: TranscribeLegStep,
): Promise<void> {
  const { sid, name, language, callback } = step;
  let number = 0;
  const tell = (news: News) =>
    report({
      type: "transcribed",
      sid,
      ...name !== undefined && { name },
      language,
      number: ++number,
      news,
      callback,
    });
  const { recogniser } = calls;
  if (recogniser === null) {
    return tell({ kind: "error", message: "the operator has set up no speech recognition" });
  }
  tell({ kind: "started", tracks: step.tracks });
  const stopping = new AbortController();
  const transcription: Transcription = {
    step,
    recogniser: forAccount(recogniser, accountSid),
    tell,
    last: { inbound: Promise.resolve(), outbound: Promise.resolve() },
    signal: stopping.signal,
  };
  const listeners = step.tracks.map((track) => ({
    channel: track === "inbound" ? 0 : 1,
    ...listener(transcription, track),
  }));
  const stop = media.recordLeg((samples) => {
    for (const { channel, take } of listeners) {
      for (const frame of framesOf(samples, channel)) take(frame);
    }
  });
  await ended;
  await stop();
  for (const { end } of listeners) end();
  const stopLate = calls.signalling.timers.after(sipLimits.lastWordsMs, () => stopping.abort());
  await Promise.all(Object.values(transcription.last));
  stopLate();
  tell({ kind: "stopped" });
}

/** Takes the frames of one track. */
function listener(
  transcription: Transcription,
  track: Track,
): { take(frame: Pcm): void; end(): void } {
  const partialEvery = sipLimits.partialSpeechMs * 8;
  let looked = 0;
  const utterances: Utterances = createUtterances(createVoiceDetector(), {
    onStart: () => void (looked = 0),
    onEnd: (pcm) => recognise(transcription, { track, pcm, isFinal: true }),
  });
  return {
    take(frame) {
      utterances.take(frame);
      const { samples } = utterances;
      if (!transcription.step.hasPartials || samples - looked < partialEvery) return;
      looked = samples;
      recognise(transcription, { track, pcm: utterances.soFar(), isFinal: false });
    },
    end() {
      if (utterances.samples === 0) return;
      recognise(transcription, { track, pcm: utterances.soFar(), isFinal: true });
    },
  };
}

function recognise(
  { step: { language, hints }, recogniser, tell, last, signal }: Transcription,
  { track, pcm, isFinal }: { track: Track; pcm: Pcm; isFinal: boolean },
): void {
  last[track] = last[track].then(async () => {
    if (signal.aborted) return;
    const words = await recogniser.recognise(pcm, { language, hints }, signal);
    if (words === null || words.text.trim() === "") return;
    tell({ kind: "content", track, text: words.text, confidence: words.confidence, isFinal });
  }).catch((error) => {
    if (signal.aborted) return;
    tell({ kind: "error", message: error instanceof Error ? error.message : String(error) });
  });
}

/** The frames of one of two interleaved channels. */
function framesOf(samples: Pcm, channel: number): Pcm[] {
  const frames: Pcm[] = [];
  const length = 2 * FRAME_SAMPLES;
  for (let at = 0; at + length <= samples.length; at += length) {
    const frame: Pcm = new Int16Array(FRAME_SAMPLES);
    for (let i = 0; i < FRAME_SAMPLES; i++) frame[i] = samples[at + 2 * i + channel] ?? 0;
    frames.push(frame);
  }
  return frames;
}
