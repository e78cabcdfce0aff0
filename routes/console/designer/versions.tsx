import { Hono } from "hono";
import { flowDiff, type FlowDifference } from "../../../core/trials/flow_diff.ts";
import { readFlow } from "../../../core/model/flows/check_flow.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { applications } from "../../../core/model/resources/applications.ts";
import { flowVersions } from "../../../core/model/resources/flow_versions.ts";
import { ApiRefusal, type Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { problemOf } from "../frame/problem_of.ts";
import { Act, Empty, Facts, Heading, Problem, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { Pager, Table } from "../frame/table.tsx";

import { DesignerStyle } from "./designer_page.tsx";
import { goTo } from "../frame/links.ts";

const section = "Flows";

/** Versions of one page of the list: each has a whole flow. */
const pageSize = "10";

/** The versions of a flow: differences from one to the next, and a button to restore one. */
export function versionPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get("/:sid/versions", (c) => showVersions(c, ports))
    .get("/:sid/versions/:version", (c) => showVersion(c, {}, ports))
    .post("/:sid/versions/:version/restore", async (c) => {
      const form = await readForm(c, ports);
      const { application, version } = await read(c);
      const sent = new URLSearchParams({
        Flow: String(version.flow),
        Kind: String(version.kind),
        FlowVersion: form.get("FlowVersion") ?? "",
      });
      try {
        await change(c, { path: `${applications.path}/${application.sid}`, form: sent }, ports);
        const to = `${belowOf(c, ports)}/${section}/${application.sid}`;
        return goTo(c, `${to}?done=saved`);
      } catch (error) {
        return await showVersion(c, { problem: problemOf(c, error) }, ports);
      }
    });
}

/** The application and the version in the path, which is one of its own. */
async function read(c: Page): Promise<{ application: Row; version: Row }> {
  const [application, version] = await Promise.all([
    c.var.api.read(`${applications.path}/${c.req.param("sid")}`),
    c.var.api.read(`${flowVersions.path}/${c.req.param("version")}`),
  ]);
  if (version.application_sid === application.sid) return { application, version };
  throw new ApiRefusal(404, 20404, `Cannot find the resource: ${version.sid}`, null);
}

async function showVersions(c: Page, ports: Ports): Promise<Response> {
  const sid = c.req.param("sid") ?? "";
  const sent = new URL(c.req.url).searchParams;
  const query = new URLSearchParams([
    ...[...sent].filter(([name]) => name !== "done"),
    ["ApplicationSid", sid],
    ["PageSize", pageSize],
  ]);
  const [application, rows] = await Promise.all([
    c.var.api.read(`${applications.path}/${sid}`),
    c.var.api.list(flowVersions.path, query),
  ]);
  const to = `${belowOf(c, ports)}/${section}/${application.sid}`;
  const title = `Versions of ${application.friendly_name}`;
  const content = (
    <>
      <Heading title={title} kind="Flow">
        <a class="button" href={to}>Designer</a>
      </Heading>
      {rows.items.length === 0
        ? <Empty>No version is kept yet. Each flow that is saved becomes one.</Empty>
        : (
          <Table
            caption={title}
            rows={rows.items}
            columns={[
              {
                title: "Version",
                cell: (row) => (
                  <a href={`${to}/versions/${row.sid}`}>Version {String(row.number)}</a>
                ),
              },
              { title: "Saved", cell: (row) => <Time at={row.date_created} /> },
              { title: "By", cell: (row) => <span class="cut">{authorOf(row)}</span> },
              { title: "Steps", isNumber: true, cell: (row) => String(stepsOf(row)) },
              {
                title: "State",
                cell: (row) => row.number === application.flow_version ? "current" : "earlier",
              },
            ]}
          />
        )}
      <Pager to={`${to}/versions`} rows={rows} />
    </>
  );
  return showPage(c, { title, section, content }, ports);
}

const stepsOf = ({ flow }: Row): number => Object.keys(readFlow(String(flow)).steps).length;

const authorOf = (row: Row): string => String(row.saved_by_email ?? "not known");

async function showVersion(
  c: Page,
  { problem }: { problem?: string },
  ports: Ports,
): Promise<Response> {
  const { application, version } = await read(c);
  const to = `${belowOf(c, ports)}/${section}/${application.sid}`;
  const title = `Version ${version.number} of ${application.friendly_name}`;
  const isCurrent = application.flow === version.flow;
  const now = application.flow ? readFlow(String(application.flow)) : { start: "", steps: {} };
  const content = (
    <>
      <DesignerStyle base={`${belowOf(c, ports)}/${section}`} />
      <Heading title={title} kind="Flow">
        <a class="button" href={`${to}/versions`}>All versions</a>
        {!isCurrent && (
          <Act
            to={`${to}/versions/${version.sid}/restore`}
            csrf={c.var.csrf}
            label="Restore"
            look="main"
            hidden={{ FlowVersion: String(application.flow_version) }}
            confirm={`Save version ${version.number} as the current one?`}
          />
        )}
      </Heading>
      {problem && <Problem>{problem}</Problem>}
      <section class="card">
        <Facts
          facts={[
            ["Saved", <Time at={version.date_created} />],
            ["By", authorOf(version)],
            ["For", String(version.kind)],
            ["Steps", String(stepsOf(version))],
          ]}
        />
      </section>
      <section class="card">
        <h2>What restoring it would change</h2>
        {isCurrent
          ? <Empty>It is the current version.</Empty>
          : <Differences all={flowDiff(now, readFlow(String(version.flow)))} />}
      </section>
      <details class="card">
        <summary>Flow as JSON</summary>
        <pre tabindex={0}>{JSON.stringify(JSON.parse(String(version.flow)), null, 2)}</pre>
      </details>
    </>
  );
  return showPage(c, { title, section, content }, ports);
}

const looks = { added: "good", removed: "bad", changed: "wait" } as const;

/** The differences of two flows, step by step. */
const Differences = ({ all }: { all: FlowDifference[] }) => (
  <>
    {all.length === 0 && <Empty>Nothing but where steps stand.</Empty>}
    {all.map(({ step, kind, fields }) => (
      <div class="difference">
        <h3>
          {step ?? "The flow as a whole"} <span class={`status ${looks[kind]}`}>{kind}</span>
        </h3>
        <dl class="facts small">
          {fields.map(({ path, before, after }) => (
            <div>
              <dt>{path}</dt>
              <dd>
                {before !== null && <del>{before}</del>} {after !== null && <ins>{after}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    ))}
  </>
);
