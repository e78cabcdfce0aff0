import { AsyncLocalStorage } from "node:async_hooks";
import { nextTurn } from "./turns.ts";

/** Work of a tenant that requests its share of the loop. */
export interface LoopWork {
  tenant: string;
  /** Its method and route, or its kind of job, report or stream. */
  kind: string;
  /** It has no credentials; such work has a bound together, besides. */
  isAnonymous?: boolean;
  /** Waits without a limit of time and is never refused; its caller bounds how much of it there is. */
  isPatient?: boolean;
  /**
   * A live call waits for it: it comes before other work of its tenant, and waits for a free loop
   * alone.
   */
  isOfCall?: boolean;
}

/** Ends work that was admitted. */
export type EndLoopWork = () => void;

/** The shares of tenants of an instance's loop. */
export interface LoopShares {
  /**
   * Admits work, at once or when its tenant has a share left. Rejects with `throttled` when it has
   * waited for too long, or too much of the tenant waits, unless it is patient.
   */
  enter(asking: LoopWork): EndLoopWork | Promise<EndLoopWork>;
}

/** Work under way: it holds its share but while it waits for others. */
interface Running {
  tenant: string;
  /** True after the work ended: requests and timers that it left running have no share. */
  isOver: boolean;
  /** Gives the share back; the result takes it again. */
  pause(): () => Promise<void>;
}

const current = new AsyncLocalStorage<Running>();

/**
 * Does patient work of a tenant within its share. Work within other work of the same tenant is part
 * of that: otherwise each would wait for the other.
 */
export async function withinShare<T>(
  shares: LoopShares,
  asking: LoopWork,
  work: () => T | Promise<T>,
): Promise<T> {
  const outer = current.getStore();
  if (outer?.tenant === asking.tenant && !outer.isOver) return await work();
  const patient = { ...asking, isPatient: true };
  // The answer of a server may cost more than the question did: a document is compiled.
  const afterwards = { ...patient, kind: `${asking.kind}, its answer` };
  let entered: Promise<EndLoopWork> | null = Promise.resolve(shares.enter(patient));
  await entered;
  const leave = async () => {
    const held = entered;
    entered = null;
    if (held !== null) (await held)();
  };
  const running: Running = {
    tenant: asking.tenant,
    isOver: false,
    pause() {
      void leave();
      return async () => {
        if (!running.isOver) await (entered ??= Promise.resolve(shares.enter(afterwards)));
      };
    },
  };
  try {
    return await current.run(running, work);
  } finally {
    running.isOver = true;
    await leave();
  }
}

/** Between parts of long work: gives the share back and requests it again, behind waiting work. */
export const betweenPieces = (): Promise<void> => outside(nextTurn);

/** Waits for something outside of this process; meanwhile the work at hand holds no share. */
export async function outside<T>(wait: () => Promise<T>): Promise<T> {
  const resume = current.getStore()?.pause();
  if (resume === undefined) return await wait();
  try {
    return await wait();
  } finally {
    await resume();
  }
}
