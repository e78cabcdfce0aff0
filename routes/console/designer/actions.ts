import { Hono } from "hono";
import { flowProblems, kindProblem, readFlow } from "../../../core/model/flows/check_flow.ts";
import { stepsOfKind } from "../../../core/model/flows/steps.ts";
import { applications } from "../../../core/model/resources/applications.ts";
import { clients } from "../../../core/model/resources/clients.ts";
import { incomingPhoneNumbers } from "../../../core/model/resources/incoming_phone_numbers.ts";
import { ApiRefusal, type Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { belowOf } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import type { KindPorts } from "../pages/kind_pages.tsx";
import { goTo } from "../frame/links.ts";

const { path } = applications;

/** Clients, numbers and queues that the forms of steps offer. */
const mostKnown = "200";

/** Shows the form again without scripts, with the refusal. */
type ShowTried = (c: Page, form: URLSearchParams, problem: string) => Promise<Response>;

/** Requests of the designer's scripts and forms. */
export function designerActions(
  { ports, schemaOf }: KindPorts,
  showTried: ShowTried,
): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get("/schema", async (c) => c.json({ ...designerSchema(schemaOf), known: await knownOf(c) }))
    .post("/check", async (c) => {
      const form = await readForm(c, ports);
      return c.json({ problems: problemsOf(form.get("Flow") ?? "", form.get("Kind") ?? "") });
    })
    .post("/dry-run", async (c) => {
      const form = await readForm(c, ports);
      const sent = new URLSearchParams([...form].filter(([, value]) => value !== ""));
      return await answered(c, () => c.var.api.send("POST", `${path}/DryRuns`, sent));
    })
    .post("/", (c) => save(c, path))
    .post("/:sid", (c) => save(c, `${path}/${c.req.param("sid")}`))
    .post("/:sid/call", async (c) => {
      const form = await readForm(c, ports);
      const login = form.get("Login") ?? "";
      const call = new URLSearchParams({
        From: form.get("From") || `client:${login}`,
        To: `client:${login}`,
        ApplicationSid: c.req.param("sid"),
      });
      const place = async () => {
        const made = await change(c, { path: "Calls", form: call }, ports);
        return { to: `${belowOf(c, ports)}/Calls/${made?.sid}` };
      };
      if (asksForJson(c)) return await answered(c, place);
      const { to } = await place();
      return goTo(c, `${to}`);
    });

  /** Saves a flow by the rules of the interface; a change of another since is not overwritten. */
  async function save(c: Page, to: string): Promise<Response> {
    const form = await readForm(c, ports);
    const sent = changeOf(form, to === path);
    const put = async () => {
      const row = await change(c, { path: to, form: sent }, ports);
      const shown = `${belowOf(c, ports)}/Flows/${row?.sid}`;
      const isDraft = Boolean(row?.flow_draft);
      const [version, revision] = [row?.flow_version, row?.flow_draft_revision];
      return { sid: row?.sid, version, revision, isDraft, to: shown };
    };
    if (asksForJson(c)) return await answered(c, put);
    try {
      return goTo(c, `${(await put()).to}?done=saved`);
    } catch (error) {
      const isOfForm = error instanceof ApiRefusal && error.status < 500 && error.status !== 404;
      if (!isOfForm) throw error;
      c.status(error.status as 400); // A status of the interface.
      return await showTried(c, form, error.message);
    }
  }
}

/**
 * The change of an application that a form asks for: its draft, the end of the draft, or the flow in
 * force, which the draft becomes. A change of the flow or draft by another since is not overwritten.
 */
function changeOf(form: URLSearchParams, isNew: boolean): URLSearchParams {
  const given = (name: string) => form.get(name) ?? "";
  const does = given("do");
  const flow = given("Flow");
  const revision = isNew ? "" : given("FlowDraftRevision");
  const of: [string, string][] = revision === "" ? [] : [["FlowDraftRevision", revision]];
  if (does === "discard") return new URLSearchParams([["FlowDraft", ""], ...of]);
  const sent = new URLSearchParams([["FriendlyName", given("FriendlyName")], ...of]);
  // The kind of an application is that of its flow in force.
  if (isNew || does !== "draft") sent.set("Kind", given("Kind"));
  if (does === "draft") {
    sent.set("FlowDraft", flow);
    if (!isNew) sent.set("FlowDraftVersion", given("FlowVersion"));
  }
  if (does !== "draft" && flow !== "") {
    sent.set("Flow", flow);
    if (!isNew) {
      sent.set("FlowDraft", "");
      sent.set("FlowVersion", given("FlowVersion"));
    }
  }
  for (const [name, value] of [...sent]) {
    if (value === "" && !["FriendlyName", "FlowDraft"].includes(name)) sent.delete(name);
  }
  return sent;
}

/** Resources of the account that a step may name. */
async function knownOf(c: Page) {
  const [phones, numbers, lines] = await Promise.all([
    c.var.api.list(clients.path, { PageSize: mostKnown }),
    c.var.api.list(incomingPhoneNumbers.path, { PageSize: mostKnown }),
    c.var.api.face(`Queues?PageSize=${mostKnown}`),
  ]);
  return {
    client: phones.items.map(({ login }) => String(login)),
    number: numbers.items.map(({ phone_number: number }) => String(number)),
    // A list, whose items have a name.
    queue: (lines.queues as Row[]).map(({ friendly_name: name }) => String(name)),
  };
}

const asksForJson = (c: Page): boolean => c.req.header("Accept") === "application/json";

/** Answers a script with the result of a request, or with the interface's refusal. */
async function answered(c: Page, work: () => Promise<object | null>): Promise<Response> {
  try {
    return c.json(await work());
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    const { message: problem, code, status } = error;
    return c.json({ problem, code }, status as 400); // A status of the interface.
  }
}

/** Problems of a flow, for an application of a kind. */
function problemsOf(flow: string, kind: string) {
  const problems = flowProblems(flow);
  if (problems.length > 0 || !(kind in stepsOfKind)) return problems;
  const misfit = kindProblem(readFlow(flow), kind as keyof typeof stepsOfKind);
  return misfit === null ? [] : [misfit];
}

/** The schemas of steps and of inputs of a dry run, and the types of steps by kind of application. */
function designerSchema(schemaOf: KindPorts["schemaOf"]) {
  const types = [...new Set(Object.values(stepsOfKind).flatMap((types) => [...types]))];
  const steps = types.map((type) => `Flow${type.charAt(0).toUpperCase()}${type.slice(1)}`);
  const parts = ["Prompt", "Branch", "Callee", "Condition", "Parameter"].map((part) =>
    `Flow${part}`
  );
  const names = ["Flow", ...steps, ...parts, "DryRunInput"];
  return {
    schemas: Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
    kinds: Object.fromEntries(
      Object.entries(stepsOfKind).map(([kind, types]) => [kind, [...types]]),
    ),
  };
}
