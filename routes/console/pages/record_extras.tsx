import type { Child } from "hono/jsx";
import type { Ports } from "../../../core/ports/ports.ts";
import { clients } from "../../../core/resources/clients.ts";
import { deliveries } from "../../../core/resources/deliveries.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { Act, Empty, Facts, Time } from "../frame/parts.tsx";
import { belowOf } from "../frame/render.tsx";

type Extra = (c: Page, row: Row, ports: Ports) => Child | Promise<Child>;

/** What the page of a record shows beside its fields, by the path of its resource. */
export const extras: Readonly<Record<string, Extra>> = {
  [clients.path]: clientExtra,
  [deliveries.path]: deliveryExtra,
};

/** The phones that are registered as a Client, and what another one is set up with. */
async function clientExtra(c: Page, row: Row, { settings }: Ports): Promise<Child> {
  const { items } = await c.var.api.list(`${clients.path}/${row.sid}/Bindings`);
  return (
    <>
      <section class="card">
        <h2>Registered now</h2>
        {items.length === 0 && <Empty>No phone is registered.</Empty>}
        {items.map((one) => (
          <Facts
            facts={Object.entries(one).filter(([name]) =>
              !["sid", "account_sid", "uri"].includes(name)
            )
              .map(([name, value]) => [name.replaceAll("_", " "), textOf(value)])}
          />
        ))}
      </section>
      <section class="card">
        <h2>Settings of a phone</h2>
        <Facts
          facts={[
            ["User name", <code>{String(row.login)}</code>],
            ["Domain, registrar", <code>{settings.sipDomain}</code>],
            ["Address", <code>{`sip:${row.login}@${settings.sipDomain}`}</code>],
            ["Password", "the one that the Client was given"],
          ]}
        />
      </section>
    </>
  );
}

/** The attempts of a Delivery, and its replay. */
function deliveryExtra(c: Page, row: Row, ports: Ports): Child {
  // As the declaration of deliveries has them.
  const attempts = row.attempts as Record<string, unknown>[];
  const to = `${belowOf(c, ports)}/${deliveries.path}/${row.sid}/replay`;
  return (
    <section class="card">
      <div class="heading-row">
        <h2>Attempts</h2>
        {row.status !== "queued" && <Act to={to} csrf={c.var.csrf} label="Replay" look="main" />}
      </div>
      {attempts.length === 0 && <Empty>It has not been sent yet.</Empty>}
      {attempts.map((one) => (
        <details>
          <summary>
            <Time at={one.start_time} /> {one.status ? `HTTP ${one.status}` : String(one.error)},
            {" "}
            {String(one.duration)} ms
          </summary>
          <pre
            tabindex={0}
          >{[one.response_headers, one.response_body].filter(Boolean).join("\n\n")}</pre>
        </details>
      ))}
    </section>
  );
}

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ""
    : typeof value === "object"
    ? JSON.stringify(value)
    : String(value);
