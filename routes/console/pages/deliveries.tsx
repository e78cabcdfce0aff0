import { Hono } from "hono";
import { deliveries } from "../../../core/resources/deliveries.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv } from "../frame/env.ts";
import { Sid, Status, Time } from "../frame/parts.tsx";
import { belowOf } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { kindPages, type KindPorts } from "./kind_pages.tsx";
import { url } from "./kind_columns.tsx";
import type { Kind } from "./kinds.tsx";

const { path } = deliveries;

/** How Deliveries are listed. */
const kind: Kind = {
  definition: deliveries,
  title: "Deliveries",
  one: "Delivery",
  empty: "No status callback has been sent.",
  beside: (c, to, now) => (
    <ReplayFailed
      to={to}
      csrf={c.var.csrf}
      hour={new Date(now - now % 3_600_000 - 3_600_000).toISOString().slice(0, 16)}
    />
  ),
  heading: ({ event }) => String(event ?? "callback"),
  unlisted: ["event", "requestVariables"],
  columns: (below) => [
    {
      title: "Event",
      cell: (row) => <a href={`${below}/${path}/${row.sid}`}>{String(row.event ?? "callback")}</a>,
    },
    { title: "When", cell: (row) => <Time at={row.start_time} /> },
    url("URL", "url"),
    { title: "Status", cell: (row) => <Status value={row.status} /> },
    { title: "Attempts", isNumber: true, cell: (row) => String(row.attempt_count) },
    {
      title: "Call",
      cell: ({ call_sid: sid }) => (
        <Sid sid={sid} below={below} {...sid ? { label: "Timeline" } : {}} />
      ),
    },
  ],
};

/** Sends the failed ones of an hour again. */
const ReplayFailed = ({ to, csrf, hour }: { to: string; csrf: string; hour: string }) => (
  <details class="filters">
    <summary>Replay failed</summary>
    <form method="post" action={`${to}/replay-failed`} class="filter-row">
      <input type="hidden" name="csrf" value={csrf} />
      <div>
        <label for="hour">The hour from (UTC)</label>
        <input id="hour" name="hour" type="datetime-local" value={hour} required />
      </div>
      <button type="submit">Send again</button>
    </form>
  </details>
);

/** The list of Deliveries, one of them, and its replay. */
export function deliveryPages(with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  const app = new Hono<ConsoleEnv>().post("/replay-failed", async (c) => {
    const hour = (await readForm(c, ports)).get("hour") ?? "";
    // What a browser sends of an hour has no zone: the page says that it is UTC.
    const form = new URLSearchParams({ Replay: "failed", StartTime: `${hour}:00Z` });
    await change(c, { path, form }, ports);
    return c.redirect(`${belowOf(c, ports)}/${path}?done=replayed-failed`, 303);
  }).post("/:sid/replay", async (c) => {
    const back = (await readForm(c, ports)).get("back") ?? "";
    const sid = c.req.param("sid");
    await change(
      c,
      { path: `${path}/${sid}`, form: new URLSearchParams({ Replay: "true" }) },
      ports,
    );
    const to = /^CA[0-9a-f]{32}$/.test(back) ? `Calls/${back}` : `${path}/${sid}`;
    return c.redirect(`${belowOf(c, ports)}/${to}?done=replayed`, 303);
  });
  return app.route("/", kindPages(kind, with_));
}
