import { Hono } from "hono";
import { deliveries } from "../../../core/model/resources/deliveries.ts";
import type { Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv } from "../frame/env.ts";
import { None, Sid, Status, Time } from "../frame/parts.tsx";
import { belowOf } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { ReplayFailed, replayFailedPages } from "../faults/replay_failed.tsx";
import { kindPages, type KindPorts } from "./kind_pages.tsx";
import { url } from "./kind_columns.tsx";
import type { Kind } from "./kinds.tsx";
import { goTo } from "../frame/links.ts";

const { path } = deliveries;

/** List of Deliveries. */
const kind: Kind = {
  definition: deliveries,
  title: "Deliveries",
  one: "Delivery",
  empty:
    "No status callback has been sent. StatusCallback of a call, a message or a number asks for one.",
  beside: (_, to) => <ReplayFailed to={to} />,
  heading: ({ event }) => String(event ?? "callback"),
  unlisted: ["event", "requestVariables"],
  columns: (below) => [
    {
      title: "Event",
      cell: (row) => <a href={`${below}/${path}/${row.sid}`}>{String(row.event ?? "callback")}</a>,
    },
    { title: "When", cell: (row) => <Time at={row.start_time} /> },
    url("URL", "url"),
    { title: "Status", cell: (row) => <Status value={statusOf(row)} /> },
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

/** The status in words: between two attempts, a Delivery that is queued is retried. */
export const statusOf = ({ status, attempt_count: count }: Row): unknown =>
  status === "queued" && Number(count) > 0 ? "retrying" : status;

/** Last response, for the list. */
function lastAnswerOf({ attempts }: Row) {
  const last = (attempts as Record<string, unknown>[]).at(-1); // As the declaration has them.
  if (last === undefined) return <None />;
  return <span class="cut">{last.status ? `HTTP ${last.status}` : String(last.error)}</span>;
}

/** The list of Deliveries, one of them, and its replay. */
export function deliveryPages(with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  const app = new Hono<ConsoleEnv>().route("/", replayFailedPages(ports)).post(
    "/:sid/replay",
    async (c) => {
      const back = (await readForm(c, ports)).get("back") ?? "";
      const sid = c.req.param("sid");
      await change(
        c,
        { path: `${path}/${sid}`, form: new URLSearchParams({ Replay: "true" }) },
        ports,
      );
      const to = /^CA[0-9a-f]{32}$/.test(back) ? `Calls/${back}` : `${path}/${sid}`;
      return goTo(c, `${belowOf(c, ports)}/${to}?done=replayed`);
    },
  );
  return app.route("/", kindPages(kind, with_));
}
