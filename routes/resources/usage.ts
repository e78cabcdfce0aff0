import { Hono } from "hono";
import { interval } from "../../core/base/dates.ts";
import { Fault } from "../../core/base/faults.ts";
import { sliceOf } from "../../core/model/rest/paging.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Base } from "../../core/base/record.ts";
import type { Query } from "../../core/model/store.ts";
import { usageRecords as definition } from "../../core/model/resources/views/usage_records.ts";
import {
  allDays,
  type Span,
  spanOf,
  usageOf,
  type UsagePeriod,
  usagePeriods,
} from "../../core/usage/periods.ts";
import { summarize, type UsageRecord } from "../../core/usage/summarize.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";

const listOf = (accountSid: string) => `${accountAddress(accountSid)}/${definition.path}`;

/** A usage record is a sum without a Sid: its address has its day and its category. */
const shape = shapeOf(definition, (record: Base) => {
  const { accountSid, startDate, category } = record as UsageRecord;
  return `${listOf(accountSid)}/${startDate}/${category}`;
});

/** A sum of more than a day has the address of its list. */
const shapeOfPeriod = ({ segment, period }: UsagePeriod) =>
  period === "day"
    ? shape
    : shapeOf(definition, ({ accountSid }: Base) => `${listOf(accountSid)}/${segment}`);

/**
 * The charges of an account in each period of a kind, as below `Usage/Records` of Twilio's
 * interface.
 */
function periodList(one: UsagePeriod, ports: Ports) {
  const { segment, period, within } = one;
  const shape = shapeOfPeriod(one);
  return (c: Ctx): Promise<Response> => {
    const { account } = c.var;
    const read = async (query: Query) => {
      const span = spanOf(query.where, within(ports.now()));
      const records = await usageOf(account, { span, period, isDeep: false }, ports);
      const where = query.where.filter((condition) => condition.op !== "between");
      return sliceOf(records, { ...query, where });
    };
    const address = `${listOf(account.sid)}/${segment}`;
    return answerList(c, { definition, shape, address, read }, ports);
  };
}

/** The charges of an account by day and category, latest day first. */
export function usageRoutes(ports: Ports): Hono<Env> {
  const recordsOf = async (accountSid: string, span: Span) =>
    summarize(accountSid, await ports.ledger.days(accountSid, span));
  const app = new Hono<Env>();
  for (const one of usagePeriods) app.get(`/${one.segment}`, periodList(one, ports));
  return app
    .get("/", (c) => {
      const { sid } = c.var.account;
      const read = async (query: Query) =>
        sliceOf(await recordsOf(sid, spanOf(query.where, allDays())), query);
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
