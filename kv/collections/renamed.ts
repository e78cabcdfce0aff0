import { Fault } from "../../core/base/faults.ts";
import type { Base } from "../../core/base/record.ts";
import type { Change } from "../../core/model/store.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import { isSid } from "../../core/base/sid.ts";
import type { StoredCollection } from "./collection.ts";

/**
 * The collection of a resource. A resource may share its Sid prefix with another one (`storedAs`).
 * Its records are then stored under Sids with a prefix of their own, so that no code of the store
 * has to distinguish the two.
 */
export function stored<T extends Base>(
  definition: AnyResource,
  make: (definition: AnyResource) => StoredCollection<T>,
): StoredCollection<T> {
  const { sidPrefix, storedAs } = definition;
  if (storedAs === undefined) return make(definition);
  return renamed(make({ ...definition, sidPrefix: storedAs }), {
    inner: storedAs,
    outer: sidPrefix,
  });
}

/** A collection whose Sids begin with `inner` in the store and with `outer` everywhere else. */
function renamed<T extends Base>(
  collection: StoredCollection<T>,
  { inner, outer }: { inner: string; outer: string },
): StoredCollection<T> {
  const shown = (record: T): T => ({ ...record, sid: outer + record.sid.slice(2) });
  const kept = (record: T): T => ({ ...record, sid: inner + record.sid.slice(2) });
  const shownIfAny = (record: T | null) => record && shown(record);
  /** The stored Sid. A Sid of another resource gives a text that no record has. */
  const keptSid = (sid: string) => isSid(sid, outer) ? inner + sid.slice(2) : sid.slice(2);
  const changing = (change: (record: T) => Change<T>) => (record: T): Change<T> => {
    const before = shown(record);
    const made = change(before);
    return { ...made, record: made.record === before ? record : kept(made.record) };
  };
  return {
    ...collection,
    get: async (account, sid) => shownIfAny(await collection.get(account, keptSid(sid))),
    async list(account, { after, ...query }) {
      const cursor = after === undefined ? {} : { after: keptSid(after) };
      const { items, total } = await collection.list(account, { ...query, ...cursor });
      return { items: items.map(shown), total };
    },
    insert: async (change) =>
      shown(await collection.insert({ ...change, record: kept(change.record) })),
    insertSoon: async (change) =>
      shown(await collection.insertSoon({ ...change, record: kept(change.record) })),
    stageInsert: async (batch, record, isChecked) =>
      await collection.stageInsert(batch, kept(record), isChecked),
    stageChange: async (batch, { accountSid, sid }, change) =>
      await collection.stageChange(batch, { accountSid, sid: keptSid(sid) }, (record) => {
        const after = change(shown(record));
        return after && kept(after);
      }),
    async update(account, sid, change) {
      if (!isSid(sid, outer)) throw new Fault("notFound", sid);
      return shown(await collection.update(account, keptSid(sid), changing(change)));
    },
    async remove(account, sid, change = (record) => ({ record })) {
      if (!isSid(sid, outer)) throw new Fault("notFound", sid);
      await collection.remove(account, keptSid(sid), changing(change));
    },
    erase: async (account, sids) => {
      const own = sids.filter((sid) => isSid(sid, outer)).map(keptSid);
      return (await collection.erase(account, own)).map((sid) => outer + sid.slice(2));
    },
    holder: async (field, value) => shownIfAny(await collection.holder(field, value)),
    decode: (entry) => shown(collection.decode(entry)),
    group: async (name, value) => (await collection.group(name, value)).map(shown),
  };
}
