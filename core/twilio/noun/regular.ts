import { Fault } from "../../base/faults.ts";
import {
  alteration,
  type AnyRecord,
  type AnyResource,
  creation,
  newBase,
} from "../../model/resource.ts";
import type { AnyCollection, Slice } from "../../model/store.ts";
import type { Records } from "../../model/ports/ports.ts";
import { resources } from "../../model/resources/mod.ts";
import type { RecordOf } from "../../model/resource.ts";
import type { Asked, Listed, Noun } from "./noun.ts";

type Name = keyof typeof resources;
type Kept<N extends Name> = RecordOf<(typeof resources)[N]>;

/** The records of a resource, and those of the account in the path. */
const recordsOf = (name: Name, { ports }: Asked): AnyCollection => ports.records[name];

/** The record of a Sid in the account of the path. Throws `notFound`. */
export async function found<N extends Name>(
  name: N,
  sid: string,
  { account, ports }: Pick<Asked, "account" | "ports">,
): Promise<Kept<N>> {
  const records: Records[Name] = ports.records[name];
  const record = await records.get(account.sid, sid);
  if (record === null) throw new Fault("notFound", sid);
  return record as unknown as Kept<N>; // The records of a name are of its resource.
}

/** Reads the record whose Sid the path names. */
export const fetched = <N extends Name>(name: N): NonNullable<Noun<Kept<N>>["fetch"]> => (asked) =>
  found(name, asked.path.Sid ?? "", asked);

/** Removes it, with what its resource says of that. */
export const removed = (name: Name) => async (asked: Asked): Promise<void> => {
  const definition: AnyResource = resources[name];
  const { account, path } = asked;
  await recordsOf(name, asked).remove(account.sid, path.Sid ?? "", definition.removed);
};

/** All records of the account, newest first. */
export const listedOf = <N extends Name>(
  name: N,
  filters: Listed["filters"],
): Listed<Kept<N>> => ({
  filters,
  read: (asked, query) =>
    recordsOf(name, asked).list(asked.account.sid, query) as Promise<Slice<Kept<N>>>,
});

/** The same of those that belong to one record, by the field that has its Sid. */
export const listedBelow = <N extends Name>(
  name: N,
  filters: Listed["filters"],
  of: { parent: Name; sid: string; field: string },
): Listed<Kept<N>> => ({
  filters,
  async read(asked, query) {
    const { sid } = await found(of.parent, asked.path[of.sid] ?? "", asked);
    const where = [...query.where, { field: of.field, op: "equals" as const, value: sid }];
    const slice = await recordsOf(name, asked).list(asked.account.sid, { ...query, where });
    return slice as Slice<Kept<N>>;
  },
});

/** Makes a record of fields, with the defaults and rules of its resource. */
export async function made<N extends Name>(
  name: N,
  fields: Record<string, unknown>,
  asked: Asked,
): Promise<Kept<N>> {
  const definition: AnyResource = resources[name];
  const base = newBase(definition, asked.account.sid, asked.ports);
  return await recordsOf(name, asked).insert(creation(definition, fields, base));
}

/** Changes the fields that are given of the record in the path, by the rules of its resource. */
export async function changed<N extends Name>(
  name: N,
  fields: Record<string, unknown>,
  asked: Asked,
): Promise<Kept<N>> {
  const definition: AnyResource = resources[name];
  const { account, path, ports } = asked;
  const sent = given(fields);
  return await recordsOf(name, asked).update(
    account.sid,
    path.Sid ?? "",
    (before: AnyRecord) => alteration(definition, before, { sent, now: ports.now() }),
  );
}

/** Without the fields that have no value. */
export const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The parameters under the names of fields: `FriendlyName` is `friendlyName`. */
export const asFields = (sent: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given(sent)).map(([name, value]) => [
      name.charAt(0).toLowerCase() + name.slice(1),
      value,
    ]),
  );
