import type { Child } from "hono/jsx";
import type { Ports } from "../../../core/ports/ports.ts";
import { clients } from "../../../core/resources/clients.ts";
import { deliveries } from "../../../core/resources/deliveries.ts";
import { gateways } from "../../../core/resources/gateways.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { Act, Empty, Time } from "../frame/parts.tsx";
import { belowOf } from "../frame/render.tsx";
import { clientExtra } from "../build/client_extra.tsx";
import { gatewayExtra } from "../build/gateway_extra.tsx";

type Extra = (c: Page, row: Row, ports: Ports) => Child | Promise<Child>;

/** What the page of a record shows beside its fields, by the path of its resource. */
export const extras: Readonly<Record<string, Extra>> = {
  [clients.path]: clientExtra,
  [deliveries.path]: deliveryExtra,
  [gateways.path]: gatewayExtra,
};

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
