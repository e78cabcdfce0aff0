import type {
  ChangeFeed,
  FollowOptions,
  RecordChange,
} from "../../core/model/ports/change_feed.ts";
import { afterCommit, type StoredChange } from "./stored_change.ts";
import { type FeedStore, told } from "./told.ts";

/** Takes a change; null is a gap, in which changes were missed. */
type Take = (change: StoredChange | null) => void;

/** Source of the changes of accounts. */
export interface FeedSource {
  /** Passes on what changes in an account from now on, which is after the version of `since`. */
  listen(account: bigint, take: Take): { leave(): void; since: Promise<string | null> };
  /** The changes of an account after an id, oldest first. `isWhole`: none is missing. */
  changesSince(
    account: bigint,
    after: string,
  ): Promise<{ changes: StoredChange[]; isWhole: boolean }>;
}

/** The feed of a store. */
export function changeFeed(store: FeedStore, source: FeedSource): ChangeFeed {
  const open = new Set<FollowOptions>();
  return {
    async follow(accountSid, options) {
      const account = await store.accountNumber(accountSid);
      if (account === null) return { earlier: [], isWhole: true, at: null, close() {} };
      const { take, stop, release } = inOrder(store, options);
      // From here on nothing is missed; changes meanwhile wait behind the earlier ones.
      const { leave, since } = source.listen(account, take);
      open.add(options);
      const close = () => {
        stop();
        leave();
        open.delete(options);
      };
      try {
        const last = await since;
        const { after } = options;
        const found = after === null
          ? { changes: [], isWhole: true }
          : await source.changesSince(account, after);
        const earlier = await Promise.all(found.changes.map((change) => told(store, change)));
        release(new Set(found.changes.map(({ id }) => id)));
        return {
          earlier: earlier.filter((one) => one !== null),
          isWhole: found.isWhole,
          at: last === null ? null : afterCommit(last),
          close,
        };
      } catch (error) {
        close();
        throw error;
      }
    },
    end() {
      for (const { onOver } of open) onOver();
    },
  };
}

/**
 * Delivers changes one after the other: each may have to be read first. They wait until `release`
 * names the changes that were delivered already.
 */
function inOrder(store: FeedStore, { take, onGap }: Pick<FollowOptions, "take" | "onGap">) {
  const released = Promise.withResolvers<ReadonlySet<string>>();
  let isOver = false;
  let last: Promise<unknown> = released.promise;
  const tell = async (change: StoredChange | null) => {
    const known = await released.promise;
    if (isOver) return;
    if (change === null) return onGap();
    if (known.has(change.id)) return;
    const shown: RecordChange | null = await told(store, change);
    if (shown !== null && !isOver) take(shown);
  };
  return {
    take(change: StoredChange | null): void {
      last = last.then(() => tell(change));
    },
    release: released.resolve,
    stop(): void {
      isOver = true;
    },
  };
}
