import { Hono } from "hono";
import { faults } from "../../../core/base/faults.ts";
import { limits } from "../../../core/base/limits.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Api, Row } from "../frame/api.ts";
import { Bars } from "../frame/chart.tsx";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { Empty, Heading, Time } from "../frame/parts.tsx";
import { countsOf, type Periods, periodsUpTo, startsOf } from "../frame/periods.ts";
import { Spark } from "../frame/spark.tsx";
import { adviceOf, errorPath } from "../build/advice.ts";
import { belowOf, showPage } from "../frame/render.tsx";

const hourMs = 3_600_000;

/** Span of the error log in days, and the periods that it counts by. */
const spans = [
  { days: 1, title: "24 hours", stepMs: hourMs, count: 24 },
  { days: 7, title: "7 days", stepMs: 6 * hourMs, count: 28 },
  { days: 30, title: "30 days", stepMs: 24 * hourMs, count: 30 },
] as const;

type Span = typeof spans[number];

/** Groups that the page shows, characters of the text of each, and calls of each. */
const [mostGroups, textLength, mostCalls] = [9, 200, 3];

/** Notifications of one code and URL; of refused calls, of one SIP status. */
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
    const span = spans.find(({ days }) => String(days) === sent.get("days")) ?? spans[1];
    const periods = periodsUpTo(ports.now(), span.stepMs, span.count);
    const from = new Date(periods.from).toISOString();
    const query = { "StartTime>": from, PageSize: String(limits.pageSizeMax) };
    const { items, total } = await c.var.api.list("Notifications", query);
    const counts = total !== null && total > items.length
      ? await exactCounts(c.var.api, periods)
      : countsOf(items.map(instantOf), periods);
    return show(c, { items, total: total ?? items.length, span, periods, counts }, ports);
  });
}

const instantOf = ({ message_date }: Row): number => Date.parse(String(message_date));

/** Counts of each period, by the totals of the lists. */
const exactCounts = (api: Api, periods: Periods): Promise<number[]> =>
  Promise.all(
    startsOf(periods).map(async (start) => {
      const iso = (ms: number) => new Date(ms).toISOString();
      const query = new URLSearchParams({ PageSize: "1" });
      query.append("StartTime>", iso(start));
      query.append("EndTime<", iso(start + periods.stepMs - 1));
      return (await api.list("Notifications", query)).total ?? 0;
    }),
  );

interface Shown {
  items: Row[];
  total: number;
  span: Span;
  periods: Periods;
  counts: number[];
}

function show(c: Page, { items, total, span, periods, counts }: Shown, ports: Ports): Response {
  const below = belowOf(c, ports);
  const to = `${below}/Notifications`;
  const groups = groupsOf(items);
  const bars = startsOf(periods).map((at, index) => ({
    at,
    label: new Date(at).toISOString().slice(0, 16).replace("T", " "),
    cell: <Time at={at} />,
    values: [counts[index] ?? 0],
  }));
  const content = (
    <>
      <Heading title="Error log">
        <nav class="actions" aria-label="Span">
          {spans.map(({ days, title }) => (
            <a href={`${to}?days=${days}`} aria-current={days === span.days ? "true" : undefined}>
              {title}
            </a>
          ))}
          <a href={`${to}?PageSize=25`}>All, one by one</a>
        </nav>
      </Heading>
      {groups.length === 0 ? <Empty>Nothing went wrong in this time.</Empty> : (
        <>
          <section class="card">
            <h2>{total.toLocaleString("en")} in {span.title}</h2>
            <Bars
              title="Notifications over time"
              series={[{ name: "Notifications", look: "bad" }]}
              bars={bars}
              ends={[<Time at={periods.from} part="day" />, "now"]}
              most={(value) => `most: ${value}`}
            />
            {total > items.length && (
              <p class="soft">
                The groups below are of the latest {items.length.toLocaleString("en")}.
              </p>
            )}
          </section>
          {groups.slice(0, mostGroups).map((group) => (
            <GroupCard {...group} {...{ below, periods }} />
          ))}
          {groups.length > mostGroups && (
            <p class="soft">
              {groups.length - mostGroups} further groups are rarer.{" "}
              <a href={`${to}?PageSize=25`}>All Notifications</a>
            </p>
          )}
        </>
      )}
    </>
  );
  return showPage(c, { title: "Error log", section: "Notifications", content }, ports);
}

function groupsOf(items: Row[]): Group[] {
  const byKey = Map.groupBy(
    items,
    (row) => JSON.stringify([errorPath(row.error_code, row.message_text), row.request_url]),
  );
  return [...byKey.values()].map((rows) => ({
    code: Number(rows[0]?.error_code),
    url: String(rows[0]?.request_url ?? ""),
    rows,
  })).toSorted((one, other) => other.rows.length - one.rows.length);
}

const faultOf = new Map(Object.values(faults).map((fault) => [fault.code as number, fault]));

/** Text of a Notification without the message of its code, which is the heading. */
function detailOf(row: Row | undefined, message = ""): string {
  const text = String(row?.message_text ?? "");
  const detail = text.startsWith(`${message}: `) ? text.slice(message.length + 2) : text;
  return detail.length > textLength ? `${detail.slice(0, textLength)}…` : detail;
}

/** The first Notification of each call. */
const latestOfCalls = (rows: Row[]): Row[] => {
  const ofCalls = rows.filter(({ call_sid }) => call_sid);
  return [...new Map(ofCalls.toReversed().map((row) => [row.call_sid, row])).values()].toReversed();
};

interface GroupProps extends Group {
  below: string;
  periods: Periods;
}

const GroupCard = ({ code, url, rows, below, periods }: GroupProps) => {
  const last = rows[0];
  const fault = faultOf.get(code);
  const query = new URLSearchParams({ ErrorCode: String(code), ...url && { RequestUrl: url } });
  const called = latestOfCalls(rows).slice(0, mostCalls);
  return (
    <section class="card">
      <div class="heading-row">
        <h2>{code} {fault?.message ?? ""}</h2>
        <span class="actions">
          <Spark values={countsOf(rows.map(instantOf), periods)} />
          <a href={`${below}/Notifications?${query}`}>
            {rows.length} {rows.length === 1 ? "time" : "times"}
          </a>
        </span>
      </div>
      {url && <p class="soft cut">{url}</p>}
      <p>{detailOf(last, fault?.message)}</p>
      {fault && (
        <p class="advice">
          {adviceOf(code, last?.message_text)}{" "}
          <a href={`${below}/${errorPath(code, last?.message_text)}`}>More about {code}</a>
        </p>
      )}
      {called.length > 0
        ? (
          <p class="actions">
            <span class="soft">Latest calls</span>
            {called.map((row) => (
              <a href={`${below}/Calls/${row.call_sid}`}>
                <Time at={row.message_date} />
              </a>
            ))}
          </p>
        )
        : (
          <p class="soft">
            Last: <Time at={last?.message_date} />
          </p>
        )}
    </section>
  );
};
