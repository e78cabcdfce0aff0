import type { ConverseStep } from "../../core/protocol/streams.ts";
import type { Script } from "../../core/protocol/script.ts";
import { sipLimits } from "../base/limits.ts";
import { conversationsEnded, openConversations } from "../base/metrics.ts";
import { reportEnd, returnedAction, type ScriptRun } from "./steps/script_run.ts";
import { type Ending, openConversation } from "./open_conversation.ts";

/*
 * Conversations by text (`ConversationRelay`) are led by the companion: it has the audio, the voice
 * detector, the recogniser and the speaker of Gather and Say. An audio stream to the service, which would
 * recognise and speak there, was refused: an interruption would have to pass between processes. Here a text
 * ends in the frame in which speech is noticed. The service signs the handshake when the turn
 * of the noun comes, and makes the `setup` message, as it knows the call.
 *
 * A server that writes the tokens of a language model does not know that it was interrupted until
 * `interrupt` arrives: what it sent meanwhile belongs to the old answer. So tokens are dropped until the
 * text ends with `last`, or until the next `prompt` or `dtmf` goes out. A server that stops writing without
 * a `last` is heard again with its next answer; one that speaks by itself after an interruption ends the
 * old text first. What was heard is reported in whole words, by the time for which a sentence was played.
 */

/**
 * Leads a conversation by text with a customer's server. It ends with the server, with the call, or
 * when something else is to be done; then the script goes on.
 */
export async function converse(
  run: ScriptRun,
  { conversation, action }: ConverseStep,
): Promise<Script | void> {
  const { live, signal } = run;
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const { media } = live.leg;
  if (media === undefined) {
    const message = "the audio of the call does not pass through the companion";
    resolve({ how: "failed", fault: "unreachable", message });
  } else {
    const stop = openConversation(run, { media, order: conversation, onEnd: resolve });
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    void promise.finally(() => signal.removeEventListener("abort", stop));
  }
  openConversations.inc();
  const ending = await promise;
  openConversations.dec();
  conversationsEnded.inc({ how: ending.how });
  const ms = performance.now() - startedAt;
  run.tookTime ||= ms >= sipLimits.timePassedMs;
  return await reportEnd(run, {
    type: "conversed",
    sid: conversation.sid,
    url: conversation.url,
    durationS: Math.round(ms / 1_000),
    ...ending,
    ...action && { action: returnedAction(run, action) },
  });
}
