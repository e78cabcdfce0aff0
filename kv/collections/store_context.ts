import type { Ports } from "../../core/model/ports/ports.ts";
import type { Base } from "../../core/base/record.ts";
import type { Change } from "../../core/model/store.ts";
import type { PageCache } from "../cache/page_cache.ts";
import type { RecordCache } from "../cache/record_cache.ts";
import type { Layouts } from "../records/layouts.ts";
import type { ListSource } from "../lists/plan.ts";
import type { Batch, Limiter } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import type { Read } from "../store/reader.ts";
import type { Seal } from "../store/seal.ts";
import type { Unwaited } from "../store/unwaited.ts";

/** The parts of one store that its collections share. */
export interface StoreContext extends ListSource {
  read: Read;
  committer: Committer;
  unwaited: Unwaited;
  seal: Seal;
  cache: RecordCache;
  /** Only for a store that other processes write to. */
  pages: PageCache | null;
  /** The order in which records hold their fields, by resource. */
  fields: Record<string, string[]>;
  layouts: Layouts;
  now(): number;
  steadyNow(): number;
  log: Ports["log"];
  /** The number of an account in keys; null when there is no such account. */
  accountNumber(accountSid: string): Promise<bigint | null>;
  /** The tenant of an account (`core/accounts/tenant.ts`); throws `notFound`. */
  tenant(accountSid: string): Promise<string>;
  /** The accounts whose limits count what an account does: itself and those above, where limited. */
  limiters(accountSid: string): Promise<readonly Limiter[]>;
  /** Stages the jobs of a change, and its changes in other collections. */
  stageCaused(batch: Batch, caused: Caused): Promise<void>;
}

/** The further effects of a change, beside its own record. */
export type Caused = Pick<Change<Base>, "jobs" | "also" | "put" | "gone">;
