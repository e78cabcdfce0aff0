import { Hono } from "hono";
import { deliveries } from "../../../core/resources/deliveries.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv } from "../frame/env.ts";
import { Sid, Status, Time } from "../frame/parts.tsx";
import { belowOf } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { kindPages, type KindPorts } from "./kind_pages.tsx";
import type { Kind } from "./kinds.tsx";

const { path } = deliveries;

/** How Deliveries are listed. */
const kind: Kind = {
  definition: deliveries,
  title: "Deliveries",
  one: "Delivery",
  empty: "No status callback has been sent.",
  columns: (below) => [
    {
      title: "Event",
      cell: (row) => <a href={`${below}/${path}/${row.sid}`}>{String(row.event ?? "callback")}</a>,
    },
    { title: "When", cell: (row) => <Time at={row.start_time} /> },
    { title: "URL", cell: (row) => <span class="cut">{String(row.url)}</span> },
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

/** The list of Deliveries, one of them, and its replay. */
export function deliveryPages(with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  const app = new Hono<ConsoleEnv>().post("/:sid/replay", async (c) => {
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
