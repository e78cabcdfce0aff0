import { Hono } from "hono";
import { deliveries } from "../../../core/resources/deliveries.ts";
import type { Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import { Choice } from "../frame/choice.tsx";
import type { ConsoleEnv } from "../frame/env.ts";
import { None, Sid, Status, Time } from "../frame/parts.tsx";
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
  empty:
    "No status callback has been sent. StatusCallback of a call, a text or a number asks for one.",
  beside: (c, to) => <ReplayFailed to={to} csrf={c.var.csrf} />,
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
    { title: "Last answer", cell: lastAnswerOf },
    { title: "Attempts", isNumber: true, cell: (row) => String(row.attempt_count) },
    {
      title: "Call",
      cell: ({ call_sid: sid }) => (
        <Sid sid={sid} below={below} {...sid ? { label: "Timeline" } : {}} />
      ),
    },
  ],
};

const hourMs = 3_600_000;

/** The hours of the last day, by how many of them ago they began. */
const hours = Array.from({ length: 24 }, (_, at): [value: string, title: string] => [
  String(at + 1),
  at === 0 ? "the last hour" : `${at} to ${at + 1} hours ago`,
]);

/** Sends the failed ones of an hour again. */
const ReplayFailed = ({ to, csrf }: { to: string; csrf: string }) => (
  <details class="filters">
    <summary>Replay all that failed</summary>
    <form method="post" action={`${to}/replay-failed`} class="filter-row">
      <input type="hidden" name="csrf" value={csrf} />
      <div>
        <label for="ago">In</label>
        <Choice id="ago" name="ago" value="1" options={hours} />
      </div>
      <div>
        <label for="hour">Or the hour from (UTC)</label>
        <input id="hour" name="hour" type="datetime-local" />
      </div>
      <div class="filter-go">
        <button type="submit" class="main">Send again</button>
      </div>
    </form>
  </details>
);

/** What was answered last, of a list. */
function lastAnswerOf({ attempts }: Row) {
  const last = (attempts as Record<string, unknown>[]).at(-1); // As the declaration has them.
  if (last === undefined) return <None />;
  return <span class="cut">{last.status ? `HTTP ${last.status}` : String(last.error)}</span>;
}

/** The list of Deliveries, one of them, and its replay. */
export function deliveryPages(with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  const app = new Hono<ConsoleEnv>().post("/replay-failed", async (c) => {
    const sent = await readForm(c, ports);
    const hour = sent.get("hour") ?? "";
    const ago = ports.now() - Number(sent.get("ago") ?? 1) * hourMs;
    // What a browser sends of an hour has no zone: the page says that it is UTC.
    const StartTime = hour === "" ? new Date(ago).toISOString() : `${hour}:00Z`;
    const form = new URLSearchParams({ Replay: "failed", StartTime });
    const replay = await change(c, { path, form }, ports);
    const done = Number(replay?.count) === 0 ? "replayed-none" : "replayed-failed";
    return c.redirect(`${belowOf(c, ports)}/${path}?done=${done}`, 303);
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
