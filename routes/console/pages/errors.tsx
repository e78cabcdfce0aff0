import { Hono } from "hono";
import { faults } from "../../../core/base/faults.ts";
import { limits } from "../../../core/base/limits.ts";
import type { Ports } from "../../../core/ports/ports.ts";
import type { Row } from "../frame/api.ts";
import { Bars } from "../frame/chart.tsx";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { Empty, Heading, Sid, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";

const dayMs = 86_400_000;

/** How far back the error log looks, in days. */
const spans = [1, 7, 30] as const;

/** Notifications of one code and URL. */
interface Group {
  code: number;
  url: string;
  rows: Row[];
}

/** The error log: Notifications by code and URL. A filter leads to the list of all of them. */
export function errorPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/", async (c, next) => {
    const sent = new URL(c.req.url).searchParams;
    const isList = [...sent.keys()].some((name) => !["days", "done"].includes(name));
    if (isList) return await next();
    const days = spans.find((one) => String(one) === sent.get("days")) ?? 7;
    const from = new Date(ports.now() - days * dayMs).toISOString();
    const query = { "StartTime>": from, PageSize: String(limits.pageSizeMax) };
    const { items, total } = await c.var.api.list("Notifications", query);
    return show(c, { items, total: total ?? items.length, days }, ports);
  });
}

function show(
  c: Page,
  { items, total, days }: { items: Row[]; total: number; days: number },
  ports: Ports,
): Response {
  const below = belowOf(c, ports);
  const to = `${below}/Notifications`;
  const groups = groupsOf(items);
  const content = (
    <>
      <Heading title="Error log">
        <nav class="actions" aria-label="Span">
          {spans.map((one) => (
            <a href={`${to}?days=${one}`} aria-current={one === days ? "true" : undefined}>
              {one === 1 ? "24 hours" : `${one} days`}
            </a>
          ))}
          <a href={`${to}?PageSize=25`}>All, one by one</a>
        </nav>
      </Heading>
      {groups.length === 0 ? <Empty>Nothing went wrong in this time.</Empty> : (
        <>
          <section class="card">
            <h2>{total.toLocaleString("en")} in {days === 1 ? "24 hours" : `${days} days`}</h2>
            {total > items.length && <p class="soft">Grouped are the latest {items.length}.</p>}
            <Bars title="Notifications over time" bars={barsOf(items, days, ports.now())} />
          </section>
          {groups.map((group) => <GroupCard {...group} below={below} />)}
        </>
      )}
    </>
  );
  return showPage(c, { title: "Error log", section: "Notifications", content }, ports);
}

function groupsOf(items: Row[]): Group[] {
  const byKey = Map.groupBy(items, (row) => JSON.stringify([row.error_code, row.request_url]));
  return [...byKey.values()].map((rows) => ({
    code: Number(rows[0]?.error_code),
    url: String(rows[0]?.request_url ?? ""),
    rows,
  })).toSorted((one, other) => other.rows.length - one.rows.length);
}

const faultOf = new Map(Object.values(faults).map((fault) => [fault.code as number, fault]));

const GroupCard = ({ code, url, rows, below }: Group & { below: string }) => {
  const [last] = rows;
  const fault = faultOf.get(code);
  const query = new URLSearchParams({ ErrorCode: String(code), ...url && { RequestUrl: url } });
  const called = [...new Set(rows.map(({ call_sid }) => call_sid).filter(Boolean))].slice(0, 5);
  return (
    <section class="card">
      <div class="heading-row">
        <h2>{code} {fault?.message ?? ""}</h2>
        <a href={`${below}/Notifications?${query}`}>
          {rows.length} {rows.length === 1 ? "time" : "times"}
        </a>
      </div>
      {url && <p class="soft cut">{url}</p>}
      <p>
        {String(last?.message_text ?? "")}{" "}
        <span class="soft">
          Last: <Time at={last?.message_date} />
        </span>
      </p>
      {fault && <p class="advice">{fault.advice}</p>}
      {called.length > 0 && (
        <p class="actions">
          {called.map((sid, at) => <Sid sid={sid} below={below} label={`Call ${at + 1}`} />)}
        </p>
      )}
    </section>
  );
};

/** Counts by hour of a day, by a quarter of a day of a week, by day of a longer span; oldest first. */
function barsOf(items: Row[], days: number, now: number): { label: string; value: number }[] {
  const count = { 1: 24, 7: 28 }[days] ?? days;
  const stepMs = days * dayMs / count;
  const bars = Array.from({ length: count }, (_, at) => ({
    label: new Date(now - (count - at) * stepMs + stepMs / 2).toISOString().slice(
      0,
      days < 30 ? 13 : 10,
    ),
    value: 0,
  }));
  for (const { message_date } of items) {
    const at = count - 1 - Math.floor((now - Date.parse(String(message_date))) / stepMs);
    const bar = bars[Math.max(0, Math.min(count - 1, at))];
    if (bar) bar.value++;
  }
  return bars;
}
