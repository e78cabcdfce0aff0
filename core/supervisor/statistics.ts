import { z } from "zod";
import { companionsByState } from "../companions/companions.ts";
import type { Condition } from "../base/filters.ts";
import { newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import type { Gateway } from "../model/resources/gateways.ts";
import { type Statistics, statistics as definition } from "../model/resources/views/statistics.ts";
import { callStatistics, type Span } from "./call_statistics.ts";

const minuteMs = 60_000;

/** The periods of each span of time. */
const spans = {
  hour: { periodMs: 2 * minuteMs, periods: 30 },
  day: { periodMs: 60 * minuteMs, periods: 24 },
  week: { periodMs: 6 * 60 * minuteMs, periods: 28 },
} as const;

const wanted = z.object({
  span: z.enum(["hour", "day", "week"]).optional().describe(
    "Span of time up to now: hour (default) in periods of two minutes, day in hours, week in six hours.",
  ),
});

export const statisticsParameters: Parameters = { schema: wanted };

export type StatisticsWanted = z.infer<typeof wanted>;

/** Records of one kind that are looked at. */
const most = 200;

/**
 * State of an account's calls, Clients, Gateways and callbacks. Its reads are bounded, whatever the
 * account has.
 */
export async function statisticsOf(
  accountSid: string,
  { span: name = "hour" }: StatisticsWanted,
  ports: Ports,
): Promise<Statistics> {
  const now = ports.now();
  const { periodMs, periods } = spans[name];
  const until = (Math.floor(now / periodMs) + 1) * periodMs;
  const span: Span = { from: until - periods * periodMs, periodMs, periods };
  const [calls, clients, gatewaysDown, deliveries] = await Promise.all([
    callStatistics(accountSid, span, ports),
    clientStatistics(accountSid, ports),
    countDown(accountSid, ports),
    deliveryStatistics(accountSid, span.from, ports),
  ]);
  const times = { startTime: span.from, endTime: now };
  const base = newBase(definition, accountSid, ports);
  return { ...base, ...times, ...calls, ...clients, gatewaysDown, ...deliveries };
}

/**
 * Counts Clients and those with a registered device; while a companion is lost, the time since
 * when.
 */
async function clientStatistics(accountSid: string, ports: Ports) {
  const { items, total } = await ports.records.clients.list(accountSid, newest([]));
  const { live, lost } = await companionsByState(ports);
  const found = await Promise.all(
    items.map(({ login }) => ports.companions.holding(login, live)),
  );
  return {
    clients: total,
    registeredClients: live.length === 0 ? null : found.filter(({ length }) => length > 0).length,
    registrationsUnknownSince: lost.at(-1)?.seenAt ??
      (live.length === 0 ? await ports.companions.lastHeardAt() : null),
  };
}

async function countDown(accountSid: string, { records }: Ports): Promise<number> {
  const { items } = await records.gateways.list(accountSid, newest([]));
  const isDown = ({ register, status }: Gateway) => register && status !== "registered";
  return items.filter(isDown).length;
}

/** The callbacks that wait, and those that were given up since an instant in ms. */
async function deliveryStatistics(accountSid: string, since: number, { records }: Ports) {
  const list = records.deliveries.list;
  const { total } = await list(accountSid, { ...newest([inStatus("queued")]), limit: 1 });
  const oldest = { where: [inStatus("queued")], skip: Math.max(0, total - 1), limit: 1 };
  const [{ items: [last] }, failed] = await Promise.all([
    list(accountSid, oldest),
    list(accountSid, newest([inStatus("failed")])),
  ]);
  return {
    queuedDeliveries: total,
    oldestDelivery: last?.startTime ?? null,
    failedDeliveries: failed.items.filter(({ startTime }) => startTime >= since).length,
  };
}

const inStatus = (value: string): Condition => ({ field: "status", op: "equals", value });

const newest = (where: Condition[]) => ({ where, skip: 0, limit: most });
