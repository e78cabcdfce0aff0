import { Fault } from "../../core/base/faults.ts";
import type { Batch, Committed } from "./batch.ts";

/** A batch whose caller can wait: it is committed together with the next other change. */
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

/** Batches that wait for a commit of another change, 50 ms at most. */
export interface DelayedBatches {
  add(...some: Delayed[]): void;
  /** They have waited long enough: they are committed even without another change. */
  readonly isDue: boolean;
  /** Makes them due now. */
  flush(): void;
  /**
   * Stages all of them. Without `isShared`, which says that another change is about to be committed,
   * stages none before they are due.
   */
  stage(isShared: boolean): Promise<StagedDelayed[]>;
  /** The store is closed: rejects all of them, and those that are added from now on. */
  close(): void;
}

/**
 * Longest wait of batches, in ms, and their most. Later jobs of a lane wait for the ends of earlier
 * ones.
 */
const [laterCommitMs, mostDelayed] = [50, 8];

/** Collects batches; calls `onDue` when they are due. */
export function delayedBatches(onDue: () => void): DelayedBatches {
  const delayed: Delayed[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [isDue, isClosed] = [false, false];

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
      if (isClosed) return rejectAll(some);
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
      isClosed = true;
      rejectAll(takeAll());
    },
  };
}

function rejectAll(delayed: Delayed[]): void {
  for (const { reject } of delayed) reject(new Fault("unavailable", "the store is closed"));
}
