import type { ErrorHandler, Handler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { Fault, type FaultKind, faults } from "../../core/base/faults.ts";
import { adviceForStatus, statusAdvices } from "../../core/base/specific_advice.ts";
import { limits } from "../../core/base/limits.ts";
import { notifyRefusal } from "../../core/webhooks/notify_refusal.ts";
import { isMakingPath } from "../../core/webhooks/own_request.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { answer } from "./answer.ts";
import type { Ctx, Env } from "./env.ts";
import { isForPeople, missingPage, missingPagePolicy } from "./missing_page.ts";
import { siteHeader } from "./site_header.ts";
import { element, escapeXml, printable } from "./xml.ts";

/** The HTTP status of each kind of fault. */
export const statusOf = {
  invalid: 400,
  unauthenticated: 401,
  denied: 403,
  missing: 404,
  unacceptable: 406,
  unsupported: 405,
  conflict: 409,
  tooLarge: 413,
  unsupportedMedia: 415,
  unsatisfiable: 416,
  throttled: 429,
  internal: 500,
  notImplemented: 501,
  unavailable: 503,
} as const satisfies Record<FaultKind, ContentfulStatusCode>;

/** The fields of an error, in the order of the wire. */
export function errorBody({ code, kind, message }: Fault, baseUrl: string) {
  const more_info = `${baseUrl}/errors/${code}`;
  return { code, message: printable(message), more_info, status: statusOf[kind] };
}

/** The service as an error response shows it. */
interface Shown {
  settings: Pick<Ports["settings"], "baseUrl">;
  /** The first segments of the paths of its pages. */
  served?: readonly string[];
}

/** Responds with an error; to a browser that requests an unknown address, with a page. */
export function answerFault(
  c: Ctx,
  fault: Fault,
  { settings, served = [] }: Shown,
): Response | Promise<Response> {
  if (fault.kind === "missing" && served.length > 0 && isForPeople(c.req.raw)) {
    return answerMissing(c, fault, { settings, served });
  }
  const body = errorBody(fault, settings.baseUrl);
  if (fault.kind === "unavailable" || fault.kind === "throttled") {
    c.header("Retry-After", String(fault.retryAfterS ?? limits.retryAfterS));
  }
  if (fault.kind === "unsupportedMedia") c.header("Accept-Encoding", "identity");
  if (fault.kind === "unauthenticated") {
    c.header("WWW-Authenticate", 'Basic realm="Switchboard", charset="UTF-8"');
  }
  const xml = () =>
    element(
      "RestException",
      element("Status", String(body.status)) + element("Message", escapeXml(body.message)) +
        element("Code", String(body.code)) + element("MoreInfo", escapeXml(body.more_info)),
    );
  return answer(c, { json: () => body, xml }, body.status);
}

function answerMissing(c: Ctx, fault: Fault, { settings, served = [] }: Shown) {
  c.header("Content-Security-Policy", missingPagePolicy);
  c.header("Referrer-Policy", "no-referrer");
  c.header("Vary", "Accept");
  const { code, message } = errorBody(fault, settings.baseUrl);
  const prefix = new URL(settings.baseUrl).pathname.replace(/\/$/, "");
  return c.html(missingPage({ code, message, served, prefix }), 404);
}

/**
 * Responds with a Fault. Any other error is a bug: it is logged once, and the client sees no
 * detail.
 */
export const onError =
  (ports: Ports, served: readonly string[] = []): ErrorHandler<Env> => async (error, c) => {
    if (error instanceof Fault) {
      await noticeRefusal(c, error, ports);
      return answerFault(c, error, { settings: ports.settings, served });
    }
    const { method, path } = c.req;
    ports.log("Cannot complete a request", { requestId: c.var.requestId, method, path, error });
    return answerFault(c, new Fault("bug"), ports);
  };

/** Writes a Notification of a refused POST that creates a record (spec, Notifications). */
async function noticeRefusal(c: Ctx, fault: Fault, ports: Ports): Promise<void> {
  const { account, caller, sent = new Map() } = c.var;
  const status = statusOf[fault.kind];
  if (caller === undefined || c.req.method !== "POST" || status >= 500) return;
  const path = c.req.path.replace(/^\/[^/]+\/Accounts\/[^/]+\//, "").replace(/\/$/, "");
  if (!isMakingPath(path)) return;
  const accountSid = (account ?? caller).sid;
  try {
    await notifyRefusal({ accountSid, path, sent, fault }, ports);
  } catch (error) { // The response is sent all the same.
    ports.log("Cannot write the Notification of a refused request", { accountSid, error });
  }
}

/** Links of the page of an error code, by the first segment of their paths. */
const onward = [
  {
    name: "console",
    title: "This error at the console",
    path: (code: string) => `console/errors/${code}`,
  },
  {
    name: "docs",
    title: "This error in the documentation",
    path: (code: string) => `docs/api/errors#${code}`,
  },
];

/**
 * `GET /errors/{code}`: meaning of a code, with advice. `served` has the first segments
 * of the paths that this service has.
 */
export const explain = (served: readonly string[]): Handler<Env, "/errors/:code"> => (c) => {
  const code = c.req.param("code");
  const entry = Object.values(faults).find((fault) => String(fault.code) === code);
  if (entry === undefined) throw new Fault("notFound", `the error code ${code} does not exist`);
  c.header(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
  const message = escapeXml(entry.message);
  const sent = c.req.query("status");
  const asked = adviceForStatus(entry.code, sent);
  const statuses = asked === undefined ? statusAdvices(entry.code) : [];
  // Relative, since a reverse proxy may serve the service below a path.
  const links = onward.filter(({ name }) => served.includes(name))
    .map(({ title, path }) =>
      `<a href="../${path(code)}${
        asked === undefined || !title.startsWith("This") ? "" : `?status=${sent}`
      }">${title}</a>`
    );
  return c.html(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Error ${code}: ${message}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 1rem auto; padding: 0 1rem }
  h1 { font-size: 1.5rem }
  dt { font-weight: 600; margin-top: 1rem }
  dd { margin: 0 }
  nav, header { margin-top: 2rem; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem }
  header { margin: 0 0 2rem }
  header nav { margin: 0 }
</style>
${siteHeader({ prefix: "..", served })}
<main>
<h1>Error ${code}</h1>
<dl>
  <dt>What happened</dt><dd>${message}.</dd>
  <dt>What to do</dt><dd>${
    escapeXml(asked === undefined ? entry.advice : `SIP ${sent}: ${asked}`)
  }</dd>
${
    statuses.map(([status, advice]) => `  <dt>SIP ${status}</dt><dd>${escapeXml(advice)}</dd>`)
      .join("\n")
  }
  <dt>HTTP status</dt><dd>${statusOf[entry.kind]}</dd>
</dl>
</main>
${links.length === 0 ? "" : `<nav aria-label="Further pages">${links.join("\n")}</nav>`}
</html>
`);
};
