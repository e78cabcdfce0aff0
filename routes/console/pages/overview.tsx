import { Hono } from "hono";
import type { Ports } from "../../../core/ports/ports.ts";
import type { ConsoleEnv } from "../frame/env.ts";
import { Empty, Heading } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { Table } from "../frame/table.tsx";
import { callColumns } from "./call_columns.tsx";

/** The first page of an account, and the search of the header. */
export function overviewPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/", async (c) => {
    const below = belowOf(c, ports);
    const { items } = await c.var.api.list("Calls", { PageSize: "10" });
    const content = (
      <>
        <Heading title="Overview" kind={String(c.var.account.friendly_name)} />
        <section class="card">
          <h2>Latest calls</h2>
          {items.length === 0
            ? <Empty>There was no call yet.</Empty>
            : <Table caption="Latest calls" columns={callColumns(below)} rows={items} />}
        </section>
      </>
    );
    return showPage(c, { title: "Overview", section: "", content }, ports);
  });
}
