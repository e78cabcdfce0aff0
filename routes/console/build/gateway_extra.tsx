import type { Child } from "hono/jsx";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { Facts, Status, Time } from "../frame/parts.tsx";
import { TestCall } from "./test_call.tsx";

/** Meaning of a Gateway's status, with advice. */
const meanings: Record<string, string> = {
  registered: "The proxy took the registration. Calls leave by this Gateway first.",
  failed:
    "The proxy refused the registration. Check user name, password and proxy; calls still try it, last.",
  unregistered: "No companion has registered it yet. That takes up to 15 seconds after a change.",
};

/** The state of a Gateway, and a call to try it. */
export async function gatewayExtra(c: Page, row: Row, ports: Ports): Promise<Child> {
  const isWanted = row.register !== false && String(row.register) !== "false";
  return (
    <>
      <section class="card" id="state" data-live="5">
        <h2>State</h2>
        <p>
          <Status value={isWanted ? row.status : "no registration"} />{" "}
          {isWanted ? meanings[String(row.status)] : "Calls leave by it without a registration."}
        </p>
        {isWanted && (
          <Facts
            facts={[
              ["Cause", row.reason ? String(row.reason) : null],
              ["Since", <Time at={row.date_updated} />],
            ]}
          />
        )}
      </section>
      {await TestCall({ c, ports, gatewaySid: row.sid })}
    </>
  );
}
