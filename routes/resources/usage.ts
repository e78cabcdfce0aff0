import { Hono } from "hono";
import { interval } from "../../core/base/dates.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Condition } from "../../core/base/filters.ts";
import { sliceOf } from "../../core/rest/paging.ts";
import type { Ports } from "../../core/ports/ports.ts";
import type { Base } from "../../core/base/record.ts";
import type { Query } from "../../core/model/store.ts";
import { usageRecords as definition } from "../../core/resources/views/usage_records.ts";
import { summarize, type UsageRecord } from "../../core/usage/summarize.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";

const listOf = (accountSid: string) => `${accountAddress(accountSid)}/${definition.path}`;

/** A usage record is a sum without a Sid: its address has its day and its category. */
const shape = shapeOf(definition, (record: Base) => {
  const { accountSid, startDate, category } = record as UsageRecord;
  return `${listOf(accountSid)}/${startDate}/${category}`;
});

interface Span {
  from: number;
  before: number;
}

/** The intersection of all date conditions. */
function spanOf(where: Condition[]): Span {
  const spans = where.filter((condition) => condition.op === "between");
  return {
    from: Math.max(-Infinity, ...spans.map(({ from }) => from)),
    before: Math.min(Infinity, ...spans.map(({ before }) => before)),
  };
}

/** The charges of an account by day and category, latest day first. */
export function usageRoutes(ports: Ports): Hono<Env> {
  const recordsOf = async (accountSid: string, span: Span) =>
    summarize(accountSid, await ports.ledger.days(accountSid, span));
  return new Hono<Env>()
    .get("/", (c) => {
      const { sid } = c.var.account;
      const read = async (query: Query) =>
        sliceOf(await recordsOf(sid, spanOf(query.where)), query);
      return answerList(c, { definition, shape, address: listOf(sid), read }, ports);
    })
    .get("/:day/:category", async (c) => {
      const { day, category } = c.req.param();
      const span = interval("", day);
      const records = span === null ? [] : await recordsOf(c.var.account.sid, span);
      const record = records.find((one) => one.startDate === day && one.category === category);
      if (record === undefined) throw new Fault("notFound", `${day}/${category}`);
      return answer(c, shape.forms(record));
    });
}
