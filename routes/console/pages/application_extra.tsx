import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { belowOf } from "../frame/render.tsx";

/** The way from an application to the designer of its flow. */
export const applicationExtra = (c: Page, row: Row, ports: Ports) => (
  <section class="card">
    <h2>Flow</h2>
    <p class="soft">
      {row.flow
        ? "The flow as a picture, its versions, and a dry run."
        : "Draw a flow: then no server is asked for markup."}
    </p>
    <p class="actions">
      <a class="button" href={`${belowOf(c, ports)}/Flows/${row.sid}`}>Open in the designer</a>
    </p>
  </section>
);
