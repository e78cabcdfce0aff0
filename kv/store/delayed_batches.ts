import { Fault } from "../../core/base/faults.ts";
import type { Batch, Committed } from "./batch.ts";

/** A batch that nobody waits for: it goes with the next commit of another change. */
export interface Delayed {
  /** Makes the batch when that commit begins. */
  stage(): Promise<Batch>;
  resolve(committed: Committed): void;
  reject(error: unknown): void;
}

/** A batch as it was staged for one commit. */
export interface StagedDelayed extends Delayed {
  batch: Batch;
}

/** Batches that wait for a commit of another change, up to a time. */
export interface DelayedBatches {
  add(...some: Delayed[]): void;
  /** They wait for no other commit any more. */
  readonly isDue: boolean;
  flush(): void;
  /** Stages all of them; `isShared`: something is about to be committed. None where they go on waiting. */
  stage(isShared: boolean): Promise<StagedDelayed[]>;
  /** The store is closed: rejects all of them. */
  close(): void;
}

/** In ms. Nobody waits for an end of a job; but the next jobs should not wait for very many ends. */
const [laterCommitMs, mostDelayed] = [50, 8];

/** `onDue` is called when they wait for no other commit any more. */
export function delayedBatches(onDue: () => void): DelayedBatches {
  const delayed: Delayed[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;

  function flush(): void {
    if (delayed.length === 0) return;
    isDue = true;
    onDue();
  }

  function takeAll(): Delayed[] {
    clearTimeout(timer);
    [timer, isDue] = [undefined, false];
    return delayed.splice(0);
  }

  return {
    add(...some) {
      delayed.push(...some);
      if (delayed.length >= mostDelayed) flush();
      else if (delayed.length > 0) timer ??= setTimeout(flush, laterCommitMs);
    },
    get isDue() {
      return isDue;
    },
    flush,
    async stage(isShared) {
      if (delayed.length === 0 || !isShared && !isDue) return [];
      const staged = await Promise.all(
        takeAll().map(async (one): Promise<StagedDelayed[]> => {
          try {
            return [{ ...one, batch: await one.stage() }];
          } catch (error) {
            one.reject(error);
            return [];
          }
        }),
      );
      return staged.flat();
    },
    close() {
      for (const { reject } of takeAll()) reject(new Fault("unavailable", "the store is closed"));
    },
  };
}
