import { Hono } from "hono";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Api, Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { Act, Empty, Heading, Running, Status, Time } from "../frame/parts.tsx";
import { Conferences, type Held } from "./live_conferences.tsx";
import { type Around, CallLink, Meter, partyOf } from "./live_parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { Table } from "../frame/table.tsx";
import { goTo } from "../frame/links.ts";

/** Most records of each kind on the page. */
const [mostCalls, mostConferences, mostQueues] = [50, 10, 10];

/** Actions on a participant: the parameters of the interface, and the message afterwards. */
const deeds: Record<string, { form: Record<string, string>; done: string }> = {
  mute: { form: { Muted: "true" }, done: "muted" },
  unmute: { form: { Muted: "false" }, done: "unmuted" },
  hold: { form: { Hold: "true" }, done: "held" },
  unhold: { form: { Hold: "false" }, done: "unheld" },
};

/** Live state: calls, conferences with their participants, and queues with their members. */
export function livePages(ports: Ports): Hono<ConsoleEnv> {
  const back = (c: Page, done: string) => goTo(c, `${belowOf(c, ports)}/live?done=${done}`);
  const participant = (c: Page) =>
    `Conferences/${c.req.param("sid")}/Participants/${c.req.param("call")}`;
  const app = new Hono<ConsoleEnv>().get("/", (c) => show(c, ports));
  for (const [name, { form, done }] of Object.entries(deeds)) {
    app.post(`/Conferences/:sid/Participants/:call/${name}`, async (c) => {
      await readForm(c, ports);
      await change(c, { path: participant(c), form: new URLSearchParams(form) }, ports);
      return back(c, done);
    });
  }
  return app
    .post("/Conferences/:sid/Participants/:call/remove", async (c) => {
      await readForm(c, ports);
      await change(c, { method: "DELETE", path: participant(c) }, ports);
      return back(c, "removed");
    })
    .post("/Conferences/:sid/end", async (c) => {
      await readForm(c, ports);
      const form = new URLSearchParams({ Status: "completed" });
      await change(c, { path: `Conferences/${c.req.param("sid")}`, form }, ports);
      return back(c, "conference-ended");
    })
    .post("/Calls/:sid/end", async (c) => {
      await readForm(c, ports);
      const form = new URLSearchParams({ Status: "completed" });
      await change(c, { path: `Calls/${c.req.param("sid")}`, form }, ports);
      return back(c, "ended");
    });
}

/** A queue with the calls that wait in it. */
interface Waiting {
  name: string;
  size: number;
  members: Row[];
}

interface Now {
  calls: Row[];
  /** Total of the list. */
  callCount: number;
  conferences: Held[];
  queues: Waiting[];
}

async function readNow(api: Api): Promise<Now> {
  const ofStatus = (path: string, Status: string, PageSize: number) =>
    api.list(path, { Status, PageSize: String(PageSize) });
  const [inProgress, ringing, queued, held, begun, queues] = await Promise.all([
    ofStatus("Calls", "in-progress", mostCalls),
    ofStatus("Calls", "ringing", mostCalls),
    ofStatus("Calls", "queued", mostCalls),
    ofStatus("Conferences", "in-progress", mostConferences),
    ofStatus("Conferences", "init", mostConferences),
    api.face(`Queues`),
  ]);
  const calls = [inProgress, ringing, queued];
  const conferences = [...held.items, ...begun.items].slice(0, mostConferences);
  const rows = (value: unknown) => (Array.isArray(value) ? value : []) as Row[]; // Of a list.
  const full = rows(queues.queues).filter(({ current_size }) => Number(current_size) > 0);
  return {
    calls: calls.flatMap(({ items }) => items),
    callCount: calls.reduce((sum, { total, items }) => sum + (total ?? items.length), 0),
    conferences: await Promise.all(conferences.map(async (conference): Promise<Held> => {
      const list = await api.list(`Conferences/${conference.sid}/Participants`);
      return { conference, participants: list.items };
    })),
    queues: await Promise.all(
      full.slice(0, mostQueues).map(async (queue): Promise<Waiting> => {
        const { queue_members } = await api.face(`Queues/${queue.sid}/Members`);
        const [name, size] = [String(queue.friendly_name), Number(queue.current_size)];
        return { name, size, members: rows(queue_members) };
      }),
    ),
  };
}

async function show(c: Page, ports: Ports): Promise<Response> {
  const below = belowOf(c, ports);
  const now = await readNow(c.var.api);
  const around = { below, csrf: c.var.csrf };
  const content = (
    <>
      <Heading title="Live" kind="What happens now">
        <a class="button" href={`${below}/tail`}>Tail of events</a>
      </Heading>
      <p class="soft" role="status" data-live-status id="live-status">{countsOf(now)}</p>
      <div
        id="live"
        data-live="5"
        data-levels={`${below}/levels`}
        data-events={`${below}/Events?Type=call,conference,participant,queue`}
      >
        <Calls {...now} {...around} now={ports.now()} />
        <Conferences {...now} {...around} />
        <Queues {...now} {...around} />
      </div>
    </>
  );
  return showPage(c, { title: "Live", section: "live", content }, ports);
}

const many = (count: number, one: string, others = `${one}s`): string =>
  `${count} ${count === 1 ? one : others}`;

const countsOf = ({ callCount, conferences, queues }: Now): string => {
  const waiting = queues.reduce((sum, { size }) => sum + size, 0);
  return `${many(callCount, "call")}, ${many(conferences.length, "conference")}, ` +
    `${many(waiting, "caller")} waiting.`;
};

const Calls = ({ calls, callCount, below, csrf, now }: Now & Around & { now: number }) => (
  <section class="card">
    <h2>Calls</h2>
    {calls.length === 0 ? <Empty>No call is in progress.</Empty> : (
      <Table
        caption="Calls in progress"
        rows={calls}
        columns={[
          {
            title: "Call",
            cell: ({ sid, from, to }) => (
              <a href={`${below}/Calls/${sid}`}>{String(from)} → {String(to)}</a>
            ),
          },
          { title: "Status", cell: ({ status }) => <Status value={status} /> },
          {
            title: "Running",
            isNumber: true,
            cell: (row) => <Running at={row.start_time ?? row.date_created} now={now} />,
          },
          {
            title: "Volume",
            cell: ({ sid, status }) =>
              status === "in-progress" && <Meter sid={sid} about={partyOf(sid, calls)} />,
          },
          {
            title: "Actions",
            cell: ({ sid, status, from, to }) => (
              <span class="actions">
                {status === "in-progress" && (
                  <a class="button quiet" href={`${below}/live/Calls/${sid}/listen`}>
                    Listen<span class="hidden">to {`${from} → ${to}`}</span>
                  </a>
                )}
                <Act
                  to={`${below}/live/Calls/${sid}/end`}
                  csrf={csrf}
                  label="Hang up"
                  look="danger"
                  confirm={`Hang up the call ${from} → ${to}?`}
                  about={`${from} → ${to}`}
                />
              </span>
            ),
          },
        ]}
      />
    )}
    {callCount > calls.length && (
      <p class="soft">
        {callCount - calls.length} more: <a href={`${below}/Calls?Status=in-progress`}>all calls</a>
      </p>
    )}
  </section>
);

const Queues = ({ queues, calls, below }: Now & Around) => (
  <>
    {queues.length === 0 && (
      <section class="card">
        <h2>Queues</h2>
        <Empty>Nobody waits in a queue.</Empty>
      </section>
    )}
    {queues.map(({ name, size, members }) => (
      <section class="card">
        <h2>Queue {name}: {size} waiting</h2>
        <Table
          caption={`Calls that wait in ${name}`}
          rows={members}
          columns={[
            { title: "Place", isNumber: true, cell: ({ position }) => String(position) },
            {
              title: "Call",
              cell: ({ call_sid }) => <CallLink sid={call_sid} calls={calls} below={below} />,
            },
            { title: "Since", cell: ({ date_enqueued }) => <Time at={date_enqueued} /> },
          ]}
        />
      </section>
    ))}
  </>
);
