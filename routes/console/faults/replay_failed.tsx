import { Hono } from "hono";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { deliveries } from "../../../core/model/resources/deliveries.ts";
import { hourFrom, mostReplayed } from "../../../core/webhooks/replay_failed.ts";
import { change } from "../frame/change.ts";
import { Choice } from "../frame/choice.tsx";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { Act, Empty, Facts, Heading, Problem, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { goTo } from "../frame/links.ts";

const { path } = deliveries;

const hourMs = 3_600_000;

/** The hours of the last day, by how many of them ago they began. */
const hours = Array.from({ length: 24 }, (_, at): [value: string, title: string] => [
  String(at + 1),
  at === 0 ? "the last hour" : `${at} to ${at + 1} hours ago`,
]);

/** Asks for the hour whose failed Deliveries are to be sent again. `to` is the address of the list. */
export const ReplayFailed = ({ to, title = "Replay all that failed" }: {
  to: string;
  title?: string;
}) => (
  <details class="filters">
    <summary>{title}</summary>
    <form action={`${to}/replay-failed`} class="filter-row">
      <div>
        <label for="ago">In</label>
        <Choice id="ago" name="ago" value="1" options={hours} />
      </div>
      <div>
        <label for="hour">Or the hour from (UTC)</label>
        <input id="hour" name="hour" type="datetime-local" />
      </div>
      <div class="filter-go">
        <button type="submit" class="main">Count them</button>
      </div>
    </form>
  </details>
);

/** Count of an hour's failures, then their replay. */
export function replayFailedPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get("/replay-failed", (c) => showCount(c, ports))
    .post("/replay-failed", async (c) => {
      const StartTime = (await readForm(c, ports)).get("StartTime") ?? "";
      const form = new URLSearchParams({ Replay: "failed", StartTime });
      const replay = await change(c, { path, form }, ports);
      const done = `replayed-failed.${replay?.count ?? 0}`;
      return goTo(c, `${belowOf(c, ports)}/${path}?done=${done}`);
    });
}

async function showCount(c: Page, ports: Ports): Promise<Response> {
  const hour = c.req.query("hour") ?? "";
  const ago = ports.now() - Number(c.req.query("ago") ?? 1) * hourMs;
  const { from, before } = hourFrom(hour === "" ? isoOf(ago) : isoOfInput(hour));
  const title = "Replay all that failed";
  const to = `${belowOf(c, ports)}/${path}`;
  const content = (
    <>
      <Heading title={title} kind="Deliveries" up={to} />
      {Number.isFinite(from)
        ? await Counted({ c, to, from, before })
        : <Problem>That is no hour. Choose one of the list.</Problem>}
      <ReplayFailed to={to} title="Another hour" />
    </>
  );
  return showPage(c, { title, section: path, content }, ports);
}

/**
 * Instant of an hour that a browser sent without a zone: the page says UTC. Empty for any other
 * text.
 */
const isoOfInput = (hour: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(hour) ? `${hour}:00Z` : "";

/** Empty for an invalid date: a number of hours in the address may be of any size. */
function isoOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

/** Count of Deliveries to replay, and the button. */
async function Counted(
  { c, to, from, before }: { c: Page; to: string; from: number; before: number },
) {
  const failed = {
    Status: "failed",
    "StartTime>": isoOf(from),
    "EndTime<": isoOf(before - 1),
  };
  const { total } = await c.var.api.list(path, { ...failed, PageSize: "1" });
  const count = Math.min(total ?? 0, mostReplayed);
  return (
    <section class="card stack">
      <Facts
        facts={[
          ["From", <Time at={from} />],
          ["To", <Time at={before} />],
          ["Failed", (total ?? 0).toLocaleString("en")],
        ]}
      />
      {count === 0 ? <Empty>No Delivery of that hour has failed.</Empty> : (
        <>
          {total !== null && total > count && (
            <p class="soft">
              {count.toLocaleString("en")} are sent again at a time, the latest first.
            </p>
          )}
          <div class="actions">
            <Act
              to={`${to}/replay-failed`}
              csrf={c.var.csrf}
              label={`Send ${count.toLocaleString("en")} again`}
              look="main"
              hidden={{ StartTime: isoOf(from) }}
            />
            <a href={`${to}?${new URLSearchParams(failed)}`}>Show {count === 1 ? "it" : "them"}</a>
            <a href={to}>Cancel</a>
          </div>
        </>
      )}
    </section>
  );
}
