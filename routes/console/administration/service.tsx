import { Hono } from "hono";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { ApiRefusal, type Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { Act, Empty, Facts, Heading, Problem, Status, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { Table } from "../frame/table.tsx";
import { goTo } from "../frame/links.ts";

/** Reads resources of the root account alone. */
const supervised = (c: Page, name: string): Promise<Row> => c.var.api.read(`Supervisor/${name}`);

/** The same of a list. */
const supervisedList = async (c: Page, name: string): Promise<Row[]> =>
  (await c.var.api.list(`Supervisor/${name}`)).items;

/** The service itself, for the root account: health, jobs and configuration. */
export function servicePages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get("/", (c) => showHealth(c, ports))
    .get("/jobs", (c) => showJobs(c, undefined, ports))
    .post("/jobs", async (c) => {
      const id = (await readForm(c, ports)).get("id") ?? "";
      try {
        const form = new URLSearchParams({ Retry: id });
        await change(c, { path: "Supervisor/jobs", form }, ports);
      } catch (error) {
        const isGone = error instanceof ApiRefusal && error.status === 404;
        if (!isGone) throw error;
        return await showJobs(c, "This job is no longer dead: it was retried meanwhile.", ports);
      }
      return goTo(c, `${belowOf(c, ports)}/Supervisor/jobs?done=retried`);
    })
    .get("/configuration", (c) => showConfiguration(c, ports));
}

interface Metrics extends Row {
  Metrics: Record<string, number>;
}

async function showHealth(c: Page, ports: Ports): Promise<Response> {
  const [metrics, companions, store] = await Promise.all([
    supervised(c, "metrics") as Promise<Metrics>, // As the interface describes them.
    supervisedList(c, "companions"),
    supervised(c, "store"),
  ]);
  const content = (
    <>
      <Heading title="Health" kind="Service" />
      <div class="live-part" id="health" data-live="10">
        {store.failure && (
          <Problem>
            The store cannot write: {String(store.failure)}. Nothing is sent or called until it can.
          </Problem>
        )}
        {companions.every(({ status }) => status !== "live") && (
          <Problem>No companion is live: there is no SIP, and calls cannot be placed.</Problem>
        )}
        <section class="card">
          <h2>Companions</h2>
          {companions.length === 0
            ? <Empty>No companion was heard of.</Empty>
            : <Companions rows={companions} />}
        </section>
        <Instance {...metrics} />
        <Store store={store} />
      </div>
    </>
  );
  return showPage(c, { title: "Health", section: "Supervisor", content }, ports);
}

const Companions = ({ rows }: { rows: Row[] }) => (
  <Table
    caption="Companions"
    rows={rows}
    columns={[
      { title: "Name", cell: ({ id }) => <code class="cut">{String(id)}</code> },
      { title: "Status", cell: ({ status }) => <Status value={status} /> },
      { title: "Heard of", cell: ({ date_heard }) => <Time at={date_heard} /> },
      { title: "Registered", isNumber: true, cell: (row) => String(row.registered_users) },
      { title: "Legs", isNumber: true, cell: (row) => String(row.live_calls) },
      { title: "SIP", cell: ({ sip_uri }) => <span class="cut">{String(sip_uri ?? "–")}</span> },
    ]}
  />
);

const Instance = ({ Metrics, InstanceId, Version, Revision }: Metrics) => (
  <section class="card">
    <h2>This instance</h2>
    <Facts
      facts={[
        ["Version", String(Version)],
        ["Revision", String(Revision ?? "")],
        ["Instance", <code>{String(InstanceId)}</code>],
        ["Live calls", String(Metrics.LiveCalls)],
        ["Registered Clients", String(Metrics.RegisteredUsers)],
        ["Calls since its start", String(Metrics.TotalCallsSinceUptime)],
        ["Failed since its start", String(Metrics.FailedCalls)],
      ]}
    />
  </section>
);

const kinds: Record<string, string> = {
  file: "a file",
  memory: "memory: it is gone after a stop",
  shared: "shared with other instances",
};

const Store = ({ store }: { store: Row }) => {
  const records = store.records as { name: string; count: number }[]; // As described.
  const filled = records.filter(({ count }) => count > 0);
  return (
    <section class="card">
      <h2>Store</h2>
      <Facts
        facts={[
          [
            "Writes fail since",
            store.date_failed === null ? null : <Time at={store.date_failed} />,
          ],
          ["Kind", kinds[String(store.kind)] ?? String(store.kind)],
          ["Layout", String(store.layout)],
          ["Size", store.bytes === null ? null : `${(Number(store.bytes) / 1e6).toFixed(1)} MB`],
          ["Indexes being built", (store.building as string[]).join(", ")],
          ["Accounts", Number(store.accounts).toLocaleString("en")],
        ]}
      />
      <details class="numbers">
        <summary>Records by resource</summary>
        <table>
          <caption class="hidden">Records by resource</caption>
          <tbody>
            {filled.map(({ name, count }) => (
              <tr>
                <th scope="row">{name}</th>
                <td>{count.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
};

async function showJobs(c: Page, problem: string | undefined, ports: Ports): Promise<Response> {
  const jobs = await supervised(c, "jobs");
  // As the interface describes them.
  const [all, dead] = [jobs.kinds as Row[], jobs.dead as ({ id: string } & Row)[]];
  const to = `${belowOf(c, ports)}/Supervisor/jobs`;
  const content = (
    <>
      <Heading title="Jobs" kind="Service" />
      {problem && <Problem>{problem}</Problem>}
      <section class="card">
        <h2>Dead</h2>
        {dead.length === 0 ? <Empty>No job is dead: none has used up its attempts.</Empty> : (
          <Table
            caption="Dead jobs"
            rows={dead}
            columns={[
              { title: "Kind", cell: ({ kind }) => String(kind) },
              { title: "Created", cell: ({ date_created }) => <Time at={date_created} /> },
              { title: "Attempts", isNumber: true, cell: ({ attempts }) => String(attempts) },
              { title: "Error", cell: ({ error }) => <span class="value">{String(error)}</span> },
              {
                title: "Again",
                cell: ({ id }) => (
                  <Act to={to} csrf={c.var.csrf} label="Retry" hidden={{ id: String(id) }} />
                ),
              },
            ]}
          />
        )}
      </section>
      <section class="card">
        <h2>By kind</h2>
        {all.length === 0 ? <Empty>No job waits.</Empty> : (
          <Table
            caption="Jobs by kind"
            rows={all}
            columns={[
              { title: "Kind", cell: ({ kind }) => String(kind) },
              ...[
                ["waiting", "Waiting"],
                ["due", "Due"],
                ["leased", "Running"],
                ["dead", "Dead"],
              ].map(([name = "", title = ""]) => ({
                title,
                isNumber: true,
                cell: (row: Row) => Number(row[name]).toLocaleString("en"),
              })),
              { title: "Oldest due", cell: ({ oldest_due }) => <Time at={oldest_due} /> },
            ]}
          />
        )}
        {!jobs.whole && <p class="soft">There are more than were counted.</p>}
      </section>
    </>
  );
  return showPage(c, { title: "Jobs", section: "Supervisor/jobs", content }, ports);
}

async function showConfiguration(c: Page, ports: Ports): Promise<Response> {
  const variables = await supervisedList(c, "configuration");
  const isSet = (row: Row) => row.default !== null && row.value !== row.default;
  const content = (
    <>
      <Heading title="Configuration" kind="Service" />
      <p class="soft">
        The environment variables as this instance runs with them, secrets masked. They change at a
        restart.
      </p>
      <Variables title="Set" rows={variables.filter(isSet)} />
      <Variables title="As by default" rows={variables.filter((row) => !isSet(row))} />
    </>
  );
  return showPage(
    c,
    { title: "Configuration", section: "Supervisor/configuration", content },
    ports,
  );
}

const Variables = ({ title, rows }: { title: string; rows: Row[] }) => (
  <section class="card">
    <h2>{title}</h2>
    {rows.length === 0 && <Empty>None.</Empty>}
    <dl class="variables">
      {rows.map(({ name, value, help }) => (
        <div>
          <dt>
            <code>{String(name)}</code>
          </dt>
          <dd>
            <code>{value === "" ? "(empty)" : String(value)}</code>
            <span class="hint">{String(help)}</span>
          </dd>
        </div>
      ))}
    </dl>
  </section>
);
