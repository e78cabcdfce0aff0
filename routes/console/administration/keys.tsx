import { Hono } from "hono";
import { keys } from "../../../core/model/resources/keys.ts";
import type { Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import { Copied } from "../frame/copied.tsx";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { fieldsOf, filled, Inputs } from "../frame/form.tsx";
import { problemOf } from "../frame/problem_of.ts";
import { Facts, Heading, Problem, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { kindPages, type KindPorts } from "../pages/kind_pages.tsx";
import type { Kind } from "../pages/kinds.tsx";

const { path } = keys;

/** List of API keys. */
const kind: Kind = {
  definition: keys,
  title: "API keys",
  one: "API key",
  empty: "There is no API key. A key is a password of one program, which can be revoked alone.",
  columns: (below) => [
    {
      title: "Name",
      cell: (row) => (
        <a href={`${below}/${path}/${row.sid}`} class="cut">{String(row.friendly_name)}</a>
      ),
    },
    { title: "Role", cell: ({ role }) => String(role) },
    { title: "Last used", cell: ({ date_last_used }) => <Time at={date_last_used} /> },
    { title: "Created", cell: ({ date_created }) => <Time at={date_created} /> },
  ],
  update: "KeyUpdate",
  removable: true,
  more: [{ path: "new", label: "New API key" }],
};

/** API keys with their last use; the secret of a new one is shown once. */
export function keyPages(with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  const app = new Hono<ConsoleEnv>()
    .get("/new", (c) => showNew(c, {}, with_))
    .post("/", async (c) => {
      const form = await readForm(c, ports);
      try {
        const made = await change(c, { path, form: filled(form) }, ports);
        return showMade(c, made ?? { sid: "" }, with_);
      } catch (error) {
        const values = Object.fromEntries(form);
        return showNew(c, { problem: problemOf(c, error), values }, with_);
      }
    });
  return app.route("/", kindPages(kind, with_));
}

function showNew(
  c: Page,
  { problem, values = {} }: { problem?: string; values?: Record<string, string> },
  { ports, schemaOf }: KindPorts,
): Response {
  const to = `${belowOf(c, ports)}/${path}`;
  const content = (
    <>
      <Heading title="New API key" kind="API keys" up={to} />
      {problem && <Problem>{problem}</Problem>}
      <form method="post" action={to} class="card stack">
        <input type="hidden" name="csrf" value={c.var.csrf} />
        <Inputs
          fields={fieldsOf(schemaOf("KeyCreate"))}
          values={values}
          unset="default"
          problem={problem}
        />
        <div class="actions">
          <button type="submit" class="main">Create</button>
          <a href={to}>Cancel</a>
        </div>
      </form>
    </>
  );
  return showPage(c, { title: "New API key", section: path, content }, ports);
}

function showMade(c: Page, made: Row, { ports }: KindPorts): Response {
  const content = (
    <>
      <Heading
        title={String(made.friendly_name)}
        kind="API keys"
        up={`${belowOf(c, ports)}/${path}`}
      />
      <section class="card">
        <p class="notice">Copy the secret now: nothing shows it again.</p>
        <Facts
          facts={[
            ["User name", <Copied text={made.sid} what="the Sid" />],
            ["Password (secret)", <Copied text={String(made.secret)} what="the secret" />],
            ["Role", String(made.role)],
          ]}
        />
      </section>
    </>
  );
  return showPage(c, { title: "New API key", section: path, content }, ports);
}
