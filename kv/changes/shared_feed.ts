import type { ChangeFeed } from "../../core/model/ports/change_feed.ts";
import { keys } from "../store/keys.ts";
import { changeFeed } from "./feed.ts";
import { followAccount, type Follower } from "./follower.ts";
import { readLog, readLogAt, type SharedFeedStore } from "./read_log.ts";
import { type StoredChange, versionOf } from "./stored_change.ts";
import { scanChanges } from "./told.ts";

/**
 * The feed of a store that several processes write to, by the log of changes (`change_log.ts`). All
 * that follow one account here read the log once.
 */
export function sharedFeed(store: SharedFeedStore): ChangeFeed {
  const followers = new Map<bigint, Follower>();

  function followerOf(account: bigint): Follower {
    const known = followers.get(account);
    if (known !== undefined) return known;
    const made = followAccount(store, account, () => followers.delete(account));
    followers.set(account, made);
    return made;
  }

  return changeFeed(store, {
    listen(account, take) {
      const follower = followerOf(account);
      const since = follower.ready.then((version) => version === "" ? null : version);
      return { leave: follower.listen(take), since };
    },
    changesSince: (account, after) => changesSince(store, account, after),
  });
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
