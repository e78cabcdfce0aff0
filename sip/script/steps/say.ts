import type { SayStep, SpeechPart } from "../../../core/protocol/speech.ts";
import { unlessAborted } from "../../../core/base/abort.ts";
import { sipLimits } from "../../base/limits.ts";
import { type Pcm, type Speaker, SpeechRefused, type Utterance } from "../../media/mod.ts";
import { connected } from "./connected.ts";
import type { ScriptRun } from "./script_run.ts";
import { sentences } from "./sentences.ts";

/**
 * Says a text, sentence by sentence: each is made while the one before it is heard. A failure is
 * reported, and the script goes on.
 */
export async function say(run: ScriptRun, step: SayStep): Promise<void> {
  try {
    await speak(run, step);
  } catch (error) {
    if (run.signal.aborted) return;
    problem(run, error instanceof Error ? error.message : String(error));
  }
}

const problem = ({ live }: Pick<ScriptRun, "live">, message: string): void =>
  live.report({ type: "problem", url: "", message, about: "speech" });

/** The voices that every provider has, the usual one first. */
const [usualVoice, otherVoice] = ["woman", "man"] as const;

/** Voices that the provider refused in a call, by language: they are asked for and reported once. */
const refusedVoices = new WeakMap<ScriptRun["live"], Set<string>>();

/**
 * The voice wanted; the usual one, with a problem reported once a call, where the provider does not take
 * that.
 */
export async function voiceFor(
  run: Pick<ScriptRun, "live" | "signal">,
  speaker: Speaker,
  utterance: Utterance,
): Promise<string> {
  const { voice } = utterance;
  if (voice === usualVoice || voice === otherVoice) return voice;
  const { live, signal } = run;
  const refused = refusedVoices.get(live) ?? new Set();
  const key = `${voice} ${utterance.language}`;
  if (refused.has(key)) return usualVoice;
  try {
    await speaker.speak(utterance, signal);
    return voice;
  } catch (error) {
    if (!(error instanceof SpeechRefused)) throw error;
    // A fault of the text or its language is the same in every voice.
    await speaker.speak({ ...utterance, voice: usualVoice }, signal).catch(() =>
      Promise.reject(error)
    );
    if (refused.size < sipLimits.refusedVoices) refused.add(key);
    refusedVoices.set(live, refused);
    problem(run, `${error.message}; it is said by "${usualVoice}"`);
    return usualVoice;
  }
}

async function speak(run: ScriptRun, step: SayStep): Promise<void> {
  const { calls: { speaker }, live: { leg: { media } }, signal } = run;
  if (media === undefined) throw new Error("the call has no media here");
  if (speaker === null) throw new Error("the operator has set up no speech (SPEECH_URL)");
  const { loop } = step;
  const parts = await utterancesOf(run, speaker, step);
  const made: Promise<Pcm>[] = [];
  const make = (at: number) => {
    const part = parts[at];
    if (part === undefined || made[at] !== undefined) return;
    made[at] = typeof part === "number"
      ? Promise.resolve(new Int16Array(part * 8))
      : speaker.speak(part, signal);
    made[at].catch(() => {});
  };
  make(0);
  await connected(run, media, "say a text");
  for (let round = 0; loop === 0 || round < loop; round++) {
    let samples = 0;
    for (let at = 0; at < parts.length; at++) {
      make(at);
      const pcm = await unlessAborted(made[at]!, signal); // make() has set it.
      if (pcm === undefined || signal.aborted) return;
      make(at + 1);
      samples += pcm.length;
      run.tookTime ||= pcm.length > 0;
      await unlessAborted(media.play(pcm, { loop: 1, signal }), signal);
      if (signal.aborted) return;
    }
    // Else it would be repeated without end, in no time.
    if (samples === 0) throw new Error("there is nothing in the text that can be said");
  }
}

/** Utterances of the step in order; a number is a pause in ms. */
async function utterancesOf(
  run: ScriptRun,
  speaker: Speaker,
  step: SayStep,
): Promise<(Utterance | number)[]> {
  const { text, language, namedVoice } = step;
  const parts = step.parts ?? sentences(text, language).map((text) => ({ text }));
  const first = parts.find((part) => part.text !== undefined)?.text ?? "";
  const wanted = namedVoice !== undefined && speaker.knowsVoice?.(namedVoice)
    ? namedVoice
    : step.voice;
  const voice = await voiceFor(run, speaker, { text: first, voice: wanted, language });
  return parts.map(({ text, silenceMs = 0, ...own }: SpeechPart) =>
    text === undefined
      ? silenceMs
      : { text, voice, language: own.language ?? language, ssml: own.ssml }
  );
}
