import { Hono } from "hono";
import { calls } from "../../../core/model/resources/calls.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { belowOf } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { showCall } from "./call.tsx";
import { withErrors } from "../faults/ended_by_error.ts";
import { callColumns } from "./call_columns.tsx";
import { kindPages, type KindPorts } from "./kind_pages.tsx";
import type { Kind } from "./kinds.tsx";
import { goTo } from "../frame/links.ts";

/** List of calls. */
const kind: Kind = {
  definition: calls,
  title: "Calls",
  one: "call",
  empty: "There was no call yet. Call a number or a Client, or place a call.",
  columns: callColumns,
  enrich: (c, rows) => withErrors(c.var.api, rows),
  create: "CallCreate",
  asked: ["Url", "ApplicationSid"],
};

/** The list of calls, the timeline of one, and actions on a live one. */
export function callPages(with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  const act = async (c: Page, form: URLSearchParams, done: string) => {
    const path = `Calls/${c.req.param("sid")}`;
    await change(c, { path, form }, ports);
    return goTo(c, `${belowOf(c, ports)}/${path}?done=${done}`);
  };
  const app = new Hono<ConsoleEnv>()
    .post("/:sid/end", async (c) => {
      await readForm(c, ports);
      return act(c, new URLSearchParams({ Status: "completed" }), "ended");
    })
    .post("/:sid/mute", async (c) => {
      const mute = (await readForm(c, ports)).get("mute") === "true";
      return act(c, new URLSearchParams({ Mute: String(mute) }), mute ? "muted" : "unmuted");
    })
    .post("/:sid/redirect", async (c) => {
      const url = (await readForm(c, ports)).get("Url") ?? "";
      return act(c, new URLSearchParams({ Url: url }), "redirected");
    })
    .get("/:sid{CA[0-9a-f]{32}}", (c) => showCall(c, ports));
  return app.route("/", kindPages(kind, with_));
}
