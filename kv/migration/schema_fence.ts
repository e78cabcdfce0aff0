/**
 * Services that run meanwhile. In a rolling restart a service of the former version writes while the new
 * one builds an index: on a shared store each commit checks the description of the store. A service whose
 * commit fails reads the description and keeps the indexes that it names; what it cannot keep (a group is a
 * function) it refuses with 503. 0.3.0 and before do not check, and must be stopped.
 */
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { declared } from "../records/layout.ts";
import type { Layouts } from "../records/layouts.ts";
import { type Declarations, type Schema, schemaVersion } from "../records/schema.ts";
import type { Fence } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import type { AtomicCheck, KeyValueStore } from "../store/key_value_store.ts";

/** Follows the layout of a store that other services may change. */
export interface SchemaFence extends Fence {
  refresh(staged?: AtomicCheck): Promise<boolean>;
  /** Called when another commit has changed the description, or written it anew. */
  onChange: () => void;
  close(): void;
}

/**
 * Each commit checks the description of the store that it was staged under. After a change of it
 * this service keeps the indexes that the other one declares: they follow from the description.
 */
export function schemaFence(
  { kv, layouts, declarations, onError }: {
    kv: KeyValueStore;
    layouts: Layouts;
    declarations: Declarations;
    onError(error: unknown): void;
  },
): SchemaFence {
  let entry: AtomicCheck = { key: keys.version, versionstamp: null };

  async function refresh(staged = entry): Promise<boolean> {
    const found = await kv.get<Schema>(keys.version);
    if (found.versionstamp === entry.versionstamp) {
      return staged.versionstamp !== entry.versionstamp; // Another commit has adopted the change.
    }
    if (!isKnown(found.value, declarations)) {
      throw new Fault(
        "unavailable",
        "another version of the program changed the layout of the store; " +
          "start all services with the same version",
      );
    }
    entry = { key: keys.version, versionstamp: found.versionstamp };
    layouts.adopt(found.value);
    self.onChange();
    return true;
  }

  const timer = setInterval(() => void refresh().catch(onError), limits.layoutPollMs);
  const self: SchemaFence = {
    stage(op) {
      op.check(entry);
      return entry;
    },
    refresh,
    onChange: () => {},
    close: () => clearInterval(timer),
  };
  return self;
}

/** Returns whether a program can write all entries that a description names. */
function isKnown(found: Schema | null, declarations: Declarations): found is Schema {
  return found?.version === schemaVersion &&
    Object.entries(declarations).every(([name, definition]) => {
      const known = declared(definition).global;
      return found.layouts[name]?.global.every((one) => known.includes(one));
    });
}
