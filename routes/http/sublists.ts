import type { Ports } from "../../core/model/ports/ports.ts";
import type { AnyCollection, Query } from "../../core/model/store.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import type { Ctx } from "./env.ts";
import { answerList } from "./lists.ts";
import type { Shape } from "./represent.ts";

/** The records of one resource that belong to a record of another. */
export interface Sublist {
  definition: AnyResource;
  shape: Shape;
  records: AnyCollection;
  /** The address of the list, without a suffix. */
  address: string;
  /** The field that has the other record's Sid, and that Sid. */
  of: { field: string; sid: string };
}

/** Responds with one page of a list below a record. */
export function answerSublist(
  c: Ctx,
  { records, of: { field, sid }, ...source }: Sublist,
  ports: Ports,
): Promise<Response> {
  const read = (query: Query) => {
    const where = [...query.where, { field, op: "equals" as const, value: sid }];
    return records.list(c.var.account.sid, { ...query, where });
  };
  return answerList(c, { ...source, read }, ports);
}
