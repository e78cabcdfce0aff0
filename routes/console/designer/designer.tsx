import { Hono } from "hono";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { applications } from "../../../core/model/resources/applications.ts";
import type { Row } from "../frame/api.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { Empty, Heading, Problem, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { flowTemplates } from "../../../core/trials/flow_templates.ts";
import { Pager, Table } from "../frame/table.tsx";
import { designerActions } from "./actions.ts";
import { Designer, type Edited } from "./designer_page.tsx";
import { versionPages } from "./versions.tsx";
import { callEnds } from "./call_me.tsx";
import type { KindPorts } from "../pages/kind_pages.tsx";

const { path } = applications;
const section = "Flows";

/** The designer: the flows of applications, each as a picture, a list and a text. */
export function designerPages(with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  return new Hono<ConsoleEnv>()
    .get("/", (c) => showList(c, ports))
    .get("/new", (c) => showDesigner(c, newOf(c.req.query("template")), ports))
    .route("/", designerActions(with_, showTried))
    .route("/", versionPages(ports))
    .get("/:sid", async (c) => {
      const row = await c.var.api.read(`${path}/${c.req.param("sid")}`);
      return await showDesigner(c, editedOf(row), ports);
    });

  /** The form of a flow that was refused without scripts. */
  async function showTried(c: Page, form: URLSearchParams, problem: string): Promise<Response> {
    const sid = c.req.param("sid");
    const before = sid === undefined ? newOf() : editedOf(await c.var.api.read(`${path}/${sid}`));
    const { FriendlyName: name = before.name, Kind: kind = before.kind, Flow: flow = before.flow } =
      Object.fromEntries(form);
    return await showDesigner(c, { ...before, name, kind, flow, problem }, ports);
  }
}

const emptyFlow = JSON.stringify({ start: "", steps: {} }, null, 2);

/** A new flow: empty, or one of the templates. */
function newOf(id?: string): Edited {
  const template = flowTemplates.find((one) => one.id === id);
  return {
    sid: null,
    name: template?.title ?? "",
    kind: "voice",
    flow: template === undefined ? emptyFlow : JSON.stringify(template.flow, null, 2),
    version: "0",
    revision: "",
    isDraft: false,
  };
}

const editedOf = (row: Row): Edited => {
  const edited = row.flow_draft ?? row.flow;
  const isDraft = Boolean(row.flow_draft);
  return {
    sid: row.sid,
    name: String(row.friendly_name),
    kind: String(row.kind),
    flow: edited ? pretty(String(edited)) : emptyFlow,
    version: String((isDraft ? row.flow_draft_version : row.flow_version) ?? ""),
    revision: String(row.flow_draft_revision ?? ""),
    isDraft,
  };
};

const pretty = (flow: string): string => JSON.stringify(JSON.parse(flow), null, 2);

/** The flows that a new one may begin with. */
const Templates = ({ to }: { to: string }) => (
  <nav class="templates" aria-label="Templates">
    <span class="soft">Begin with:</span>
    <a href={to}>an empty flow</a>
    {flowTemplates.map(({ id, title, lead }) => (
      <a href={`${to}?template=${id}`} title={lead}>{title}</a>
    ))}
  </nav>
);

async function showDesigner(c: Page, edited: Edited, ports: Ports): Promise<Response> {
  const { sid, name } = edited;
  const below = belowOf(c, ports);
  const title = sid === null ? "New flow" : name;
  const content = (
    <>
      <Heading title={title} kind="Flow">
        {sid !== null && <a class="button" href={`${below}/${path}/${sid}`}>Application</a>}
      </Heading>
      {edited.problem && <Problem>{edited.problem}</Problem>}
      {sid === null && <Templates to={`${below}/${section}/new`} />}
      <Designer
        edited={edited}
        base={`${below}/${section}`}
        csrf={c.var.csrf}
        ends={edited.sid === null ? null : await callEnds(c, ports)}
      />
    </>
  );
  return showPage(c, { title, section, content, script: "designer/main.js" }, ports);
}

/** The applications, those with a flow first to be opened. */
async function showList(c: Page, ports: Ports): Promise<Response> {
  const below = belowOf(c, ports);
  const rows = await c.var.api.list(path, new URL(c.req.url).searchParams);
  const content = (
    <>
      <Heading title="Designer" kind="Flows of applications">
        <a class="button main" href={`${below}/${section}/new`}>New flow</a>
      </Heading>
      <p class="soft">
        A flow says step by step what happens in a call, a message or a USSD dialogue. No server is
        asked for markup.
      </p>
      {rows.items.length === 0
        ? <Empty>There is no application yet. Begin a new flow.</Empty>
        : (
          <Table
            caption="Applications"
            rows={rows.items}
            columns={[
              {
                title: "Name",
                cell: (row) => (
                  <a href={`${below}/${section}/${row.sid}`} class="cut">
                    {String(row.friendly_name)}
                  </a>
                ),
              },
              { title: "For", cell: (row) => String(row.kind) },
              { title: "Steps", isNumber: true, cell: (row) => stepsOf(row) },
              {
                title: "State",
                cell: (row) =>
                  row.flow_draft
                    ? row.flow ? "published, with a draft" : "draft"
                    : row.flow
                    ? "published"
                    : "",
              },
              { title: "Changed", cell: (row) => <Time at={row.date_updated} /> },
            ]}
          />
        )}
      <Pager to={`${below}/${section}`} rows={rows} />
    </>
  );
  return showPage(c, { title: "Designer", section, content }, ports);
}

const stepsOf = ({ flow }: Row): string =>
  flow ? String(Object.keys(JSON.parse(String(flow)).steps).length) : "no flow";
