import type { ChangeFeed } from "../../core/model/ports/change_feed.ts";
import { changeFeed } from "./feed.ts";
import type { RecentChanges } from "./recent_changes.ts";
import { type FeedStore, scanChanges } from "./told.ts";

/** The feed of a store that only this process writes to: its own commits are all there are. */
export const ownFeed = (store: FeedStore, recent: RecentChanges): ChangeFeed =>
  changeFeed(store, {
    listen(account, take) {
      const since = Promise.resolve(recent.last());
      return { leave: recent.listen(account, take), since };
    },
    async changesSince(account, after) {
      const known = recent.since(account, after);
      if (known !== null) return { changes: known, isWhole: true };
      return await scanChanges(store, account, after);
    },
  });
