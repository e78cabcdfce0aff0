import type { Level } from "../../core/protocol/leg_tasks.ts";
import { eventLimits } from "../../core/webhooks/event_limits.ts";

export interface LevelStreamOptions {
  /** The levels at this moment. */
  read(): Promise<Level[]>;
  /** True while the reader may read. */
  isAllowed(): Promise<boolean>;
  /** False: the stream ends after the levels of this moment. */
  follows: boolean;
  onClosed(): void;
}

/**
 * The levels of calls as server-sent events: an event whenever they are others, and a sign of life
 * otherwise. They are read only while the reader reads.
 */
export function levelStream(
  { read, isAllowed, follows, onClosed }: LevelStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const closing = new AbortController();
  let [last, checkedAt] = ["", performance.now()];
  const close = () => {
    closing.abort("closed");
    onClosed();
  };

  /** The text to send, where there is any; null at the end. */
  async function next(): Promise<string | null> {
    const now = performance.now();
    if (!follows && last !== "") return null;
    const isDue = now - checkedAt >= eventLimits.beatMs;
    // The store is read again at the next beat.
    if (isDue && !await isAllowed().catch(() => true)) return null;
    if (isDue) checkedAt = now;
    const levels = await read();
    const text = JSON.stringify({
      levels: levels.map(({ leg: call_sid, level }) => ({ call_sid, level })),
    });
    if (text === last) return isDue ? ": alive\n\n" : "";
    last = text;
    return `data: ${text}\n\n`;
  }

  return new ReadableStream({
    async pull(controller) {
      try {
        for (;;) {
          const text = closing.signal.aborted ? null : await next();
          if (text === null) {
            close();
            return controller.close();
          }
          if (text !== "") controller.enqueue(encoder.encode(text));
          if (follows) await pause(eventLimits.levelMs, closing.signal);
          if (text !== "") return;
        }
      } catch (error) {
        close();
        if (!closing.signal.aborted) controller.error(error);
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => (clearTimeout(timer), resolve());
  signal.addEventListener("abort", stop, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
