import type { ChangeFeed, FollowOptions, RecordChange } from "../../core/ports/change_feed.ts";
import type { RecentChanges } from "./recent_changes.ts";
import { afterCommit, type StoredChange } from "./stored_change.ts";
import { type FeedStore, scanChanges, told } from "./told.ts";

/** The feed of a store that only this process writes to: its own commits are all there are. */
export function ownFeed(store: FeedStore, recent: RecentChanges): ChangeFeed {
  const open = new Set<FollowOptions>();
  return {
    async follow(accountSid, options) {
      const account = await store.accountNumber(accountSid);
      if (account === null) return { earlier: [], isWhole: true, at: null, close() {} };
      const { take, stop, release } = inOrder(store, options);
      const last = recent.last();
      // From here on nothing is missed; what comes meanwhile waits behind what was before.
      const leave = recent.listen(account, take);
      open.add(options);
      const close = () => {
        stop();
        leave();
        open.delete(options);
      };
      try {
        const { after } = options;
        const found = after === null
          ? { changes: [], isWhole: true }
          : await changesSince({ store, recent, account }, after);
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

async function changesSince(
  { store, recent, account }: { store: FeedStore; recent: RecentChanges; account: bigint },
  after: string,
): Promise<{ changes: StoredChange[]; isWhole: boolean }> {
  const known = recent.since(account, after);
  if (known !== null) return { changes: known, isWhole: true };
  return await scanChanges(store, account, after);
}

/**
 * Tells changes one after the other: each may have to be read first. They wait until `release` says
 * which of them were told already.
 */
export function inOrder(
  store: FeedStore,
  { take, onGap }: Pick<FollowOptions, "take" | "onGap">,
) {
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
