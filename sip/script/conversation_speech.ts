import type { ConversationSettings } from "../../core/protocol/streams.ts";
import { sipLimits } from "../base/limits.ts";
import type { Pcm } from "../media/mod.ts";
import { voiceFor } from "./steps/say.ts";
import type { ScriptRun } from "./steps/script_run.ts";

/**
 * Makes speech in the voice that a document names for a language. A voice that the provider does not
 * know is replaced, and reported once.
 */
export function createSpeech(
  { calls: { speaker }, live, signal: over }: ScriptRun,
  { voice, voices }: ConversationSettings["speech"],
): (text: string, language: string, signal: AbortSignal) => Promise<Pcm> {
  const found = new Map<string, Promise<string>>();
  return async (text, language, signal) => {
    if (speaker === null) throw new Error("the operator has set up no speech (SPEECH_URL)");
    const { voice: usual, namedVoice } = voices[language] ?? voice;
    const isKnown = namedVoice !== undefined && speaker.knowsVoice?.(namedVoice);
    const utterance = { text, voice: isKnown ? namedVoice : usual, language };
    const finding = found.get(language) ?? voiceFor({ live, signal: over }, speaker, utterance);
    if (found.size >= sipLimits.conversation.languages) found.clear();
    found.set(language, finding);
    finding.catch(() => found.delete(language));
    return await speaker.speak({ ...utterance, voice: await finding }, signal);
  };
}
