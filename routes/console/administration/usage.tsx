import { Hono } from "hono";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { usageRecords } from "../../../core/model/resources/views/usage_records.ts";
import type { Row } from "../frame/api.ts";
import { Bars } from "../frame/chart.tsx";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { exportList } from "../frame/export.ts";
import { Exports } from "../frame/exports.tsx";
import { Empty, Heading, priced } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { Table } from "../frame/table.tsx";
import { Tile } from "../frame/tile.tsx";

const { path } = usageRecords;
const dayMs = 86_400_000;

/** The categories of charges, with their colours. */
const categories = [
  { category: "calls", name: "calls", look: "" },
  { category: "sms", name: "messages", look: "live" },
  { category: "phonenumbers", name: "numbers", look: "wait" },
  { category: "transcriptions", name: "transcriptions", look: "soft" },
] as const;

/** Charges of an account by day and category, a month at a time. */
export function usagePages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get("/", (c) => show(c, ports))
    .get("/export", (c) => {
      const format = c.req.query("format") === "csv" ? "csv" : "json";
      const query = queryOf(monthOf(c.req.query("month"), ports.now()));
      return exportList(c, { path, query, name: "usage", format });
    });
}

/** A month in UTC: its name, and the instants that it lies between, in ms. */
interface Month {
  name: string;
  from: number;
  before: number;
}

/** The month of a name like 2026-11; the current one where there is no such month. */
function monthOf(wanted: string | undefined, now: number): Month {
  const isMonth = /^\d{4}-(0[1-9]|1[0-2])$/.test(wanted ?? "");
  const from = Date.parse(`${isMonth ? wanted : new Date(now).toISOString().slice(0, 7)}-01`);
  return { name: nameOf(from), from, before: shifted(from, 1) };
}

const nameOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

/** The start of the month so many months after that of an instant. */
const shifted = (ms: number, months: number): number => {
  const at = new Date(ms);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);
};

const titleOf = ({ from }: Month): string =>
  new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format(from);

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const queryOf = ({ from, before }: Month): URLSearchParams => {
  const query = new URLSearchParams({ PageSize: "1000" });
  query.append("StartTime>", day(from));
  query.append("EndTime<", day(before - dayMs));
  return query;
};

async function show(c: Page, ports: Ports): Promise<Response> {
  const month = monthOf(c.req.query("month"), ports.now());
  const to = `${belowOf(c, ports)}/${path}`;
  const { items } = await c.var.api.list(path, queryOf(month));
  const isCurrent = month.before > ports.now();
  const content = (
    <>
      <Heading title={`Usage in ${titleOf(month)}`} kind="UTC">
        <nav class="actions" aria-label="Month">
          <a href={`${to}?month=${nameOf(shifted(month.from, -1))}`}>← Month before</a>
          {!isCurrent && <a href={`${to}?month=${nameOf(shifted(month.from, 1))}`}>Next month →</a>}
        </nav>
      </Heading>
      {items.length === 0 ? <Empty>Nothing was charged in this month.</Empty> : (
        <>
          <Sums items={items} settings={ports.settings} />
          <Chart items={items} month={month} settings={ports.settings} />
          <Days items={items} settings={ports.settings} />
          {ports.settings.currency === null && (
            <p class="soft">The operator has set no currency (CURRENCY).</p>
          )}
          <Exports to={to} query={new URLSearchParams({ month: month.name })} total={null} />
        </>
      )}
    </>
  );
  return showPage(c, { title: "Usage", section: path, content }, ports);
}

const priceOf = (rows: Row[]): number => rows.reduce((sum, { price }) => sum + Number(price), 0);

/** A price with two places, or with more where it has them. */
const shown = (price: number): string => price.toFixed(6).replace(/(\.\d\d\d*?)0*$/, "$1");

/** The same of a column: all of its prices have the places of the one that has most. */
const aligned = (rows: Row[]) => {
  const places = Math.max(
    2,
    ...rows.map(({ price }) => shown(Number(price)).split(".")[1]?.length ?? 0),
  );
  return (price: number): string => price.toFixed(places);
};

const of = (items: Row[], category: string): Row[] =>
  items.filter((row) => row.category === category);

/** An amount with its unit, which the interface has in the plural. */
function amountOf(usage: number, unit: unknown): string {
  const units = String(unit ?? "");
  return `${usage.toLocaleString("en")} ${usage === 1 ? units.replace(/s$/, "") : units}`;
}

interface Shown {
  items: Row[];
  settings: Pick<Ports["settings"], "currency">;
}

const Sums = ({ items, settings }: Shown) => (
  <div class="tiles">
    <Tile title="Total" figure={priced(shown(priceOf(of(items, "totalprice"))), settings)} />
    {categories.map(({ category, name }) => {
      const rows = of(items, category);
      const usage = rows.reduce((sum, row) => sum + Number(row.usage), 0);
      return (
        <Tile
          title={name}
          figure={priced(shown(priceOf(rows)), settings)}
          more={amountOf(usage, rows[0]?.usage_unit)}
        />
      );
    })}
  </div>
);

function Chart({ items, month, settings }: Shown & { month: Month }) {
  const count = Math.round((month.before - month.from) / dayMs);
  const isFree = priceOf(of(items, "totalprice")) === 0;
  const amountIn = (rows: Row[]) => rows.reduce((sum, { usage }) => sum + Number(usage), 0);
  const byDay = Map.groupBy(items, ({ start_date }) => String(start_date));
  const bars = Array.from({ length: count }, (_, at) => {
    const label = day(month.from + at * dayMs);
    const rows = byDay.get(label) ?? [];
    return {
      label,
      values: categories.map(({ category }) => (isFree ? amountIn : priceOf)(of(rows, category))),
    };
  });
  return (
    <section class="card">
      <h2>{isFree ? "Use by day" : "Price by day"}</h2>
      {isFree && <p class="soft">Nothing has a price. Calls are in minutes, all else in pieces.</p>}
      <Bars
        title={isFree ? "Use by day and category" : "Price by day and category"}
        series={categories}
        bars={bars}
        ends={[day(month.from), day(month.before - dayMs)]}
        most={(value) => `most: ${isFree ? value : priced(shown(value), settings)}`}
        format={isFree ? String : shown}
      />
    </section>
  );
}

const Days = ({ items, settings }: Shown) => {
  const days = of(items, "totalprice");
  const inColumn = aligned(days);
  return (
    <Table
      caption="Charges by day"
      rows={days}
      columns={[
        { title: "Day (UTC)", cell: ({ start_date }) => <span>{String(start_date)}</span> },
        {
          title: "Charges",
          isNumber: true,
          cell: ({ count }) => Number(count).toLocaleString("en"),
        },
        {
          title: settings.currency === null ? "Price" : `Price (${settings.currency})`,
          isNumber: true,
          cell: ({ price }) => inColumn(Number(price)),
        },
      ]}
    />
  );
};
