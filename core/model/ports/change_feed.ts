import type { Base } from "../../base/record.ts";
import type { EventType } from "../event_types.ts";

/** A record as a commit left it. */
export interface RecordChange {
  /** The place of the change among those of its account: later ones are greater as texts. */
  id: string;
  type: EventType;
  change: "created" | "updated" | "deleted";
  sid: string;
  /** Null for a record that was deleted. */
  record: Base | null;
  /** Size of the record in the store. */
  bytes: number;
}

export interface FollowOptions {
  /** Id of the last change that the reader has: those after it come first. Null: from now on. */
  after: string | null;
  /** Given each change, in order, from when `follow` was called. */
  take(change: RecordChange): void;
  /** Changes may have been missed, of records that changed long ago or in a doubtful commit. */
  onGap(): void;
  /** The feed ends: nothing more comes. */
  onOver(): void;
}

/** A feed that is followed. */
export interface Following {
  /**
   * The changes after `after`, oldest first. Where the store has forgotten some, these are the records
   * that changed since, as they are now.
   */
  earlier: RecordChange[];
  /** False where older records may have changed as well. */
  isWhole: boolean;
  /** Id of the last change before those that `take` gets; null where there is none. */
  at: string | null;
  close(): void;
}

/** The changes of records of all instances, as they are committed. They derive from the commits. */
export interface ChangeFeed {
  follow(accountSid: string, options: FollowOptions): Promise<Following>;
  /** Ends all that follow. */
  end(): void;
}
