import { getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { Fault } from "../../../core/base/faults.ts";
import { type Browser, sessionOf } from "../../../core/accounts/sessions.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { readBody } from "../../http/body.ts";
import { isForeign } from "../../http/browsers.ts";
import type { ConsoleEnv, Page } from "./env.ts";
import { goTo, homeOf } from "./links.ts";

/** The browser of a request. */
export const browserOf = (c: Page): Browser => ({
  from: c.env?.client ?? "",
  userAgent: c.req.header("User-Agent") ?? "",
});

type SettingsPort = Pick<Ports, "settings">;

/** By https the name binds the cookie to this host (RFC 6265bis §4.1.3.2). */
const cookieOf = ({ settings }: SettingsPort) => {
  const secure = settings.baseUrl.startsWith("https:");
  return secure
    ? { name: "__Host-switchboard-console", secure, path: "/" }
    : { name: "switchboard-console", secure, path: homeOf(settings.baseUrl) };
};

/** Hands the cookie of a session to the browser; an empty one is removed. */
export function setSession(c: Page, token: string, ports: SettingsPort): void {
  const { name, secure, path } = cookieOf(ports);
  setCookie(c, name, token, {
    path,
    secure,
    httpOnly: true,
    sameSite: "Strict",
    ...token === "" && { maxAge: 0 },
  });
}

/** Token that each form of a session must have: another site cannot know it. */
const csrfText = (sid: string) => `console-csrf.${sid}`;

export const csrfOf = (sid: string, { signer }: Pick<Ports, "signer">): Promise<string> =>
  signer.sign(csrfText(sid));

/**
 * Finds the session of the request and puts it on the context; a request without one signs in
 * first.
 */
export const requireSession = (ports: Ports) =>
  createMiddleware<ConsoleEnv>(async (c, next) => {
    const token = getCookie(c, cookieOf(ports).name) ?? "";
    const home = homeOf(ports.settings.baseUrl);
    const isUse = c.req.header("X-Console-Live") === undefined && !c.req.path.endsWith("/Events");
    const found = token === "" ? null : await sessionOf(token, ports, { isUse });
    if (found === null) return signInFirst(c, token !== "", home);
    c.set("session", found.session);
    c.set("caller", found.account);
    c.set("csrf", await csrfOf(found.session.sid, ports));
    if (!found.session.isComplete && !c.req.path.startsWith("/console/code")) {
      return goTo(c, `${home}/code`);
    }
    await next();
  });

/**
 * Sends a browser to the sign-in. A link of another site brings no cookie (SameSite=Strict): the page
 * then loads itself once more, which brings it.
 */
function signInFirst(c: Page, wasSignedIn: boolean, home: string): Response | Promise<Response> {
  const isForeignLink = c.req.header("Sec-Fetch-Site") === "cross-site" && !wasSignedIn &&
    c.req.method === "GET";
  if (isForeignLink) {
    return c.html(
      '<!doctype html><html lang="en"><meta charset="utf-8"><title>Switchboard</title>' +
        '<meta http-equiv="refresh" content="0"><p>Opening the console…</p></html>',
    );
  }
  const { pathname, search } = new URL(c.req.url);
  const next = c.req.method === "GET" ? pathname.replace(/^\/console/, "") + search : "";
  const query = new URLSearchParams({
    ...next !== "" && { next },
    ...wasSignedIn && { over: "1" },
  });
  return goTo(c, `${home}/sign-in${query.size === 0 ? "" : `?${query}`}`);
}

/**
 * Reads the form of a change. Throws `crossSite` for a form that a page of another site may have
 * sent.
 */
export async function readForm(c: Page, ports: Ports): Promise<URLSearchParams> {
  const form = await readOpenForm(c, ports);
  const given = form.get("csrf") ?? c.req.header("X-CSRF-Token") ?? "";
  const isOwn = await ports.signer.verify(csrfText(c.var.session.sid), given);
  if (!isOwn) throw new Fault("crossSite");
  form.delete("csrf");
  return form;
}

/** The same before there is a session. */
export async function readOpenForm(c: Page, ports: Ports): Promise<URLSearchParams> {
  if (isForeign(c.req.raw, ports.settings.baseUrl)) throw new Fault("crossSite");
  const sent = await readBody(c.req.raw, () => true);
  const form = new URLSearchParams();
  for (const [name, texts] of sent) for (const text of [texts].flat()) form.append(name, text);
  return form;
}
