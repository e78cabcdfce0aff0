import { Hono } from "hono";
import { pascal, snake } from "../../../core/base/wire.ts";
import { visibleFields } from "../../../core/model/resource.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import { Copied } from "../frame/copied.tsx";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { exportList } from "../frame/export.ts";
import { Exports } from "../frame/exports.tsx";
import { Filters, listQuery } from "../frame/filters.tsx";
import {
  type Choices,
  type Field,
  fieldsOf,
  filled,
  Inputs,
  isNamed,
  titleOf,
  valuesOf,
} from "../frame/form.tsx";
import { problemOf } from "../frame/problem_of.ts";
import { Act, Empty, Facts, Heading, Problem, Sid, Status, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { schemasOf } from "../frame/schemas.ts";
import { Pager, Table } from "../frame/table.tsx";
import type { Kind } from "./kinds.tsx";
import { extras } from "./record_extras.tsx";
import { Settings } from "./settings.tsx";
import { applicationOptions } from "../build/applications.ts";
import { carriesOf } from "../build/number_search.tsx";
import { withCurrency } from "./with_currency.ts";
import { tryButtons } from "../build/try_markup.tsx";
import { goTo } from "../frame/links.ts";

const pageSize = 25;

/** Ports and options of the pages of a kind. */
export interface KindPorts {
  ports: Ports;
  schemaOf: ReturnType<typeof schemasOf>;
}

/** The pages of a kind: its list, an export of it, a record, and the forms that make and change one. */
export function kindPages(kind: Kind, with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  const { path } = kind.definition;
  const app = new Hono<ConsoleEnv>()
    .get("/", (c) => showList(c, kind, ports))
    .get("/export", (c) => {
      const query = listQuery(new URL(c.req.url).searchParams, pageSize, kind.definition);
      const format = query.get("format") === "csv" ? "csv" : "json";
      query.delete("format");
      return exportList(c, { path, query, name: kind.title.toLowerCase(), format });
    });
  if (kind.create) {
    app.get("/new", (c) => showNew(c, kind, with_, {}))
      .post("/", (c) => create(c, kind, with_));
  }
  app.get("/:sid", (c) => showRecord(c, kind, with_, {}));
  if (kind.update) app.post("/:sid", (c) => update(c, kind, with_));
  if (kind.removable) {
    app.post("/:sid/delete", async (c) => {
      await readForm(c, ports);
      await change(c, { method: "DELETE", path: `${path}/${c.req.param("sid")}` }, ports);
      return goTo(c, `${belowOf(c, ports)}/${path}?done=deleted`);
    });
  }
  return app;
}

/** The list of a kind, or of a search in it. */
async function showList(c: Page, kind: Kind, ports: Ports): Promise<Response> {
  const { definition, title, one, empty, create, more = [] } = kind;
  const below = belowOf(c, ports);
  const to = `${below}/${definition.path}`;
  const sent = new URL(c.req.url).searchParams;
  const rows = await c.var.api.list(definition.path, listQuery(sent, pageSize, definition));
  const items = await kind.enrich?.(c, rows.items) ?? rows.items;
  const kept = new URLSearchParams(
    [...sent].filter(([name, value]) =>
      value !== "" && !["Page", "PageSize", "AfterSid", "done"].includes(name)
    ),
  );
  const content = (
    <>
      <Heading title={title}>
        {more.toReversed().map(({ path, label }) => (
          <a class={path === more[0]?.path ? "button main" : "button"} href={`${to}/${path}`}>
            {label}
          </a>
        ))}
        {create && more.length === 0 && <a class="button main" href={`${to}/new`}>New {one}</a>}
      </Heading>
      {kind.beside?.(c, to)}
      <Filters definition={definition} to={to} sent={sent} />
      {rows.items.length === 0
        ? <Empty>{kept.size > 0 ? "Nothing fits the filter." : empty}</Empty>
        : <Table caption={title} columns={kind.columns(below)} rows={items} />}
      <Pager to={to} rows={rows} />
      {rows.items.length > 0 && <Exports to={to} query={kept} total={rows.total} />}
    </>
  );
  return showPage(c, { title, section: definition.path, content }, ports);
}

const isAsked = ({ unasked = [] }: Kind) => ({ name }: Field): boolean => !unasked.includes(name);

interface Tried {
  problem?: string;
  values?: Record<string, string>;
}

async function showNew(
  c: Page,
  kind: Kind,
  { ports, schemaOf }: KindPorts,
  { problem, values = {} }: Tried,
): Promise<Response> {
  const to = `${belowOf(c, ports)}/${kind.definition.path}`;
  const fields = fieldsOf(schemaOf(kind.create ?? "")).filter(isAsked(kind));
  const { asked = [] } = kind;
  const isFirst = ({ isRequired, name }: Field) =>
    isRequired || Boolean(values[name]) || asked.includes(name);
  const [first, others] = [
    fields.filter((field) => isFirst(field)),
    fields.filter((field) => !isFirst(field)),
  ];
  const choices = await choicesOf(c, fields, kind);
  const content = (
    <>
      <Heading title={`New ${kind.one}`} kind={kind.title} up={to} />
      {problem && <Problem>{problem}</Problem>}
      <form method="post" action={to} class="card stack">
        <input type="hidden" name="csrf" value={c.var.csrf} />
        <Inputs
          fields={first}
          values={{ ...queried(c), ...values }}
          choices={choices}
          unset="default"
          problem={problem}
        />
        {others.length > 0 && (
          <details
            open={first.length === 0 || isShort(others) ||
              others.some(({ name }) => isNamed(name, problem ?? ""))}
          >
            <summary>More settings</summary>
            <Inputs
              fields={others}
              values={queried(c)}
              choices={choices}
              unset="default"
              problem={problem}
            />
          </details>
        )}
        <div class="actions">
          <button type="submit" class="main">Create</button>
          <a href={to}>Cancel</a>
        </div>
      </form>
    </>
  );
  return showPage(c, { title: `New ${kind.one}`, section: kind.definition.path, content }, ports);
}

/** So few further settings are not folded. */
const isShort = (others: Field[]): boolean => others.length <= 4;

/** Values that an address begins a form with. */
const queried = (c: Page): Record<string, string> =>
  Object.fromEntries(new URL(c.req.url).searchParams);

async function create(c: Page, kind: Kind, with_: KindPorts): Promise<Response> {
  const { ports } = with_;
  const { path } = kind.definition;
  const form = await readForm(c, ports);
  try {
    const made = await change(c, { path, form: filled(form) }, ports);
    return goTo(c, `${belowOf(c, ports)}/${path}/${made?.sid}?done=created`);
  } catch (error) {
    const values = Object.fromEntries(form);
    return await showNew(c, kind, with_, { problem: problemOf(c, error), values });
  }
}

async function update(c: Page, kind: Kind, with_: KindPorts): Promise<Response> {
  const { ports, schemaOf } = with_;
  const path = `${kind.definition.path}/${c.req.param("sid")}`;
  const form = await readForm(c, ports);
  const fields = fieldsOf(schemaOf(kind.update ?? ""));
  const before = valuesOf(fields, await c.var.api.read(path));
  const sent = filled(form, before);
  for (const [name, value] of [...sent]) if (before[name] === value) sent.delete(name);
  try {
    if (sent.size > 0) await change(c, { path, form: sent }, ports);
    return goTo(c, `${belowOf(c, ports)}/${path}?done=saved`);
  } catch (error) {
    const values = Object.fromEntries(form);
    return await showRecord(c, kind, with_, { problem: problemOf(c, error), values });
  }
}

async function showRecord(
  c: Page,
  kind: Kind,
  { ports, schemaOf }: KindPorts,
  { problem, values }: Tried,
): Promise<Response> {
  const { definition, one } = kind;
  const below = belowOf(c, ports);
  const read = await c.var.api.read(`${definition.path}/${c.req.param("sid")}`);
  const row = withCurrency(read, ports.settings);
  const to = `${below}/${definition.path}/${row.sid}`;
  const title = kind.heading?.(row) ??
    String(row.friendly_name ?? row.login ?? row.phone_number ?? row.sid);
  const fields = kind.update === undefined
    ? []
    : fieldsOf(schemaOf(kind.update)).filter(isAsked(kind));
  const content = (
    <>
      <Heading title={title} kind={kind.title} up={`${below}/${definition.path}`}>
        {kind.removable && (
          <Act
            to={`${to}/delete`}
            csrf={c.var.csrf}
            label="Delete"
            look="danger"
            confirm={`Delete this ${one}: ${title}?`}
          />
        )}
      </Heading>
      {problem && <Problem>{problem}</Problem>}
      <section class="card">
        <Facts facts={factsOf(kind, { row, below, fields })} />
      </section>
      {tryButtons(c, definition, row, below)}
      {await extras[definition.path]?.(c, row, ports)}
      {fields.length > 0 && (
        <form method="post" action={to} class="card stack">
          <h2>Settings</h2>
          <input type="hidden" name="csrf" value={c.var.csrf} />
          <Settings
            fields={fields}
            values={values ?? valuesOf(fields, row)}
            choices={await choicesOf(c, fields, kind)}
            problem={problem}
          />
          <div class="actions">
            <button type="submit" class="main">Save</button>
          </div>
        </form>
      )}
    </>
  );
  return showPage(c, { title, section: definition.path, content }, ports);
}

const isSecret = (field: string) => /password|token/i.test(field);

/** Fields that say nothing at the page of a record, and those that a part of their own shows. */
const unshown = new Set(["accountSid", "apiVersion", "attempts"]);

/** The fields of a record as names and values; those of its form stand there. */
function factsOf(
  { definition, words = {}, shown = {}, unlisted = [], unasked = [] }: Kind,
  { row, below, fields }: { row: Row; below: string; fields: Field[] },
): [string, unknown][] & never[] {
  const settable = new Set([...fields.map(({ name }) => name), ...unasked]);
  const facts = visibleFields(definition).filter((field) =>
    !isSecret(field) && !unshown.has(field) && !unlisted.includes(field) &&
    !settable.has(pascal(field))
  ).map((field) => {
    const value = row[snake(field)];
    const text = words[field]?.find(([one]) => one === value)?.[1] ??
      (value === null || value === undefined ? undefined : shown[field]?.(value));
    return [titleOf(pascal(field)), text ?? shownOf(field, value, below)];
  });
  return facts as never;
}

/** Choices of a form's fields, besides those of their schemas. */
async function choicesOf(c: Page, fields: Field[], { words = {} }: Kind): Promise<Choices> {
  const ofWords = Object.entries(words).map(([field, texts]) => [pascal(field), texts]);
  const ofApplications = fields.filter(({ name }) => name.endsWith("ApplicationSid"));
  if (ofApplications.length === 0) return Object.fromEntries(ofWords);
  const options = await applicationOptions(c.var.api);
  const chosen = ofApplications.map(({ name }) => [name, options]);
  return Object.fromEntries([...ofWords, ...chosen]);
}

function shownOf(field: string, value: unknown, below: string) {
  if (value === null || value === undefined || value === "") return "";
  if (field === "sid") return <Copied text={String(value)} what="the Sid" />;
  if (/Sid$/.test(pascal(field))) return <Sid sid={value} below={below} />;
  if (field === "status") return <Status value={value} />;
  if (/^date|Date$|Time$/.test(field)) return <Time at={value} />;
  if (field === "capabilities") return carriesOf({ sid: "", capabilities: value });
  if (typeof value === "object") return <pre tabindex={0}>{JSON.stringify(value, null, 2)}</pre>;
  return <span class="value">{String(value)}</span>;
}
