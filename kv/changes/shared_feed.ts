import type { ChangeFeed, FollowOptions } from "../../core/ports/change_feed.ts";
import { keys } from "../store/keys.ts";
import { followAccount, type Follower } from "./follower.ts";
import { inOrder } from "./own_feed.ts";
import { readLog, readLogAt, type SharedFeedStore } from "./read_log.ts";
import { afterCommit, type StoredChange, versionOf } from "./stored_change.ts";
import { scanChanges, told } from "./told.ts";

/**
 * The feed of a store that several processes write to, by the log of changes (`change_log.ts`). All
 * that follow one account here read the log once.
 */
export function sharedFeed(store: SharedFeedStore): ChangeFeed {
  const open = new Set<FollowOptions>();
  const followers = new Map<bigint, Follower>();

  function followerOf(account: bigint): Follower {
    const known = followers.get(account);
    if (known !== undefined) return known;
    const made = followAccount(store, account, () => followers.delete(account));
    followers.set(account, made);
    return made;
  }

  return {
    async follow(accountSid, options) {
      const account = await store.accountNumber(accountSid);
      if (account === null) return { earlier: [], isWhole: true, at: null, close() {} };
      const { take, stop, release } = inOrder(store, options);
      const follower = followerOf(account);
      const leave = follower.listen(take);
      open.add(options);
      const close = () => {
        stop();
        leave();
        open.delete(options);
      };
      try {
        const at = await follower.ready;
        const { after } = options;
        const found = after === null
          ? { changes: [], isWhole: true }
          : await changesSince(store, account, after);
        const earlier = await Promise.all(found.changes.map((change) => told(store, change)));
        release(new Set(found.changes.map(({ id }) => id)));
        return {
          earlier: earlier.filter((one) => one !== null),
          isWhole: found.isWhole,
          at: at === "" ? null : afterCommit(at),
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

/** From the log where it has all since then, else from the records. */
async function changesSince(
  store: SharedFeedStore,
  account: bigint,
  after: string,
): Promise<{ changes: StoredChange[]; isWhole: boolean }> {
  const { kv } = store;
  const version = versionOf(after);
  const upTo = {
    start: keys.changesOf(account),
    end: keys.changesAt(account, `${version}\0`),
  };
  const [before] = await Array.fromAsync(kv.list(upTo, { reverse: true, limit: 1 }));
  if (before === undefined) return await scanChanges(store, account, after);
  const { changes, hasGap } = await readLog(kv, account, version);
  if (hasGap) return await scanChanges(store, account, after);
  const rest = await readLogAt(kv, account, version);
  return { changes: [...rest, ...changes].filter(({ id }) => id > after), isWhole: true };
}
