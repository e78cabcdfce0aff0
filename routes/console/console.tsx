import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { apiOf, type Ask } from "./frame/api.ts";
import { type AssetFile, assets } from "./frame/assets.ts";
import type { ConsoleEnv } from "./frame/env.ts";
import { goTo, homeOf } from "./frame/links.ts";
import { pageHeaders } from "./frame/policy.ts";
import { onConsoleError } from "./frame/refused.tsx";
import { requireSession } from "./frame/session.ts";
import { accountPages } from "./pages.ts";
import { securityPages } from "./pages/security.tsx";
import { signInPages } from "./pages/sign_in.tsx";

export interface ConsoleOptions {
  /** Reads the files of the pages, by name; called once. */
  files(): Promise<Map<string, AssetFile>>;
  /** The interface of this process. */
  ask: Ask;
}

/**
 * The console: pages that the service makes of what its interface answers to the account that is signed
 * in. The account's own programs may read and do the same as its pages.
 */
export function consolePages({ files, ask }: ConsoleOptions, ports: Ports): Hono {
  const home = homeOf(ports.settings.baseUrl);
  const app = new Hono<ConsoleEnv>();
  app.onError(onConsoleError(ports));
  app.use("*", pageHeaders);
  app.route("/assets", assets(files));
  app.route("/", signInPages(ports));
  app.use("*", requireSession(ports));
  app.get("/", (c) => goTo(c, `${home}/${c.var.caller.sid}`));
  app.get("/errors/:code{[0-9]+}", (c) => {
    const { search } = new URL(c.req.url);
    return goTo(c, `${home}/${c.var.caller.sid}/errors/${c.req.param("code")}${search}`);
  });
  app.use("/security/*", withAccount(ask, ports));
  app.route("/security", securityPages(ports));
  app.use("/:account{AC[0-9a-f]+}/*", withAccount(ask, ports));
  app.route("/:account{AC[0-9a-f]+}", accountPages(ports));
  app.all("*", (c) => {
    const isSlashed = c.req.method === "GET" && c.req.path.endsWith("/");
    if (isSlashed) return goTo(c, home + c.req.path.slice("/console".length, -1));
    throw new Fault("notFound", c.req.path);
  });
  // Its environment is within that of the service.
  return app as unknown as Hono;
}

/**
 * Puts the interface below an account on the context: that of the path, else the caller's own. The
 * interface refuses accounts of others.
 */
const withAccount = (ask: Ask, { settings }: Ports) =>
  createMiddleware<ConsoleEnv>(async (c, next) => {
    const { caller, requestId } = c.var;
    const { baseUrl } = settings;
    const apiFor = (accountSid: string) => apiOf({ ask, baseUrl, caller, accountSid, requestId });
    const api = apiFor(c.req.param("account") ?? caller.sid);
    c.set("account", await api.read(""));
    c.set("api", api);
    c.set("apiFor", apiFor);
    await next();
  });
