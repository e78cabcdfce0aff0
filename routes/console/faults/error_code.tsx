import { Hono } from "hono";
import { Fault, faults } from "../../../core/base/faults.ts";
import { adviceForStatus, adviceOfStatus, statusIn } from "../../../core/base/specific_advice.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { statusOf } from "../../http/errors.ts";
import type { ConsoleEnv } from "../frame/env.ts";
import { Empty, Facts, Heading, Sid, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { Table } from "../frame/table.tsx";

/** Notifications that the page shows. */
const latest = 10;

/** The page of an error code: its meaning, advice, and the latest Notifications that have it. */
export function errorCodePages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/:code{[0-9]+}", async (c) => {
    const code = c.req.param("code");
    const fault = Object.values(faults).find((one) => String(one.code) === code);
    if (fault === undefined) throw new Fault("notFound", `the error code ${code} does not exist`);
    const below = belowOf(c, ports);
    const list = `${below}/Notifications?ErrorCode=${code}`;
    const query = { ErrorCode: code, PageSize: String(latest) };
    const { items, total } = await c.var.api.list("Notifications", query);
    const title = `${code} ${fault.message}`;
    const asked = adviceForStatus(fault.code, c.req.query("status"));
    const statuses = items.map((row) => statusIn(fault.code, String(row.message_text)))
      .filter((status, at, all) => status !== undefined && all.indexOf(status) === at);
    const content = (
      <>
        <Heading title={title} kind="Error log" up={`${below}/Notifications`} />
        <section class="card stack">
          {asked === undefined
            ? <p class="advice">{fault.advice}</p>
            : <p class="advice">SIP {c.req.query("status")}: {asked}</p>}
          {asked === undefined &&
            statuses.map((status) => (
              <p class="advice">SIP {status}: {adviceOfStatus(status ?? 0)}</p>
            ))}
          <Facts
            facts={[["As the answer to a request", `HTTP ${statusOf[fault.kind]}`]]}
          />
        </section>
        <section class="card">
          <div class="heading-row">
            <h2>When it happened last</h2>
            {items.length > 0 && (
              <a href={list}>All {(total ?? items.length).toLocaleString("en")}</a>
            )}
          </div>
          {items.length === 0
            ? <Empty>No Notification of the account has this code.</Empty>
            : (
              <Table
                caption={`Latest Notifications of code ${code}`}
                rows={items}
                columns={[
                  { title: "When", cell: (row) => <Time at={row.message_date} /> },
                  {
                    title: "What",
                    isWide: true,
                    cell: (row) => (
                      <a href={`${below}/Notifications/${row.sid}`} class="cut">
                        {String(row.message_text)}
                      </a>
                    ),
                  },
                  {
                    title: "Call",
                    cell: ({ call_sid: sid }) => (
                      <Sid sid={sid} below={below} {...sid ? { label: "Timeline" } : {}} />
                    ),
                  },
                ]}
              />
            )}
        </section>
      </>
    );
    return showPage(c, { title, section: "Notifications", content }, ports);
  });
}
