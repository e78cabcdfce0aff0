import assert from "node:assert/strict";
import { XMLValidator } from "fast-xml-parser";
import type { Hono } from "hono";
import { assertDescribed, assertStatusDescribed } from "./openapi.ts";

/** An answer whose body has been read. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json(): ReturnType<typeof JSON.parse>;
}

/** Parameters as a form; a name with several values is repeated. */
export type Form = Record<string, string | string[]>;

/** A customer's program. Paths are below its account, or begin with a slash. */
export interface ApiClient {
  sid: string;
  user: string;
  token: string;
  request(method: string, path: string, init?: RequestInit): Promise<Answer>;
  get(path: string, headers?: HeadersInit): Promise<Answer>;
  post(path: string, form?: Form): Promise<Answer>;
  put(path: string, form?: Form): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** The same program with other credentials or another account in its paths. */
  with(changes: Partial<Pick<ApiClient, "sid" | "user" | "token">>): ApiClient;
}

/** A client that checks of every answer what all of them promise. */
export function apiClient(
  http: Hono,
  identity: Pick<ApiClient, "sid" | "user" | "token">,
): ApiClient {
  const { sid, user, token } = identity;
  const credentials = `Basic ${new TextEncoder().encode(`${user}:${token}`).toBase64()}`;

  async function request(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const address = path.startsWith("/") ? path : `/2012-04-24/Accounts/${sid}/${path}`;
    const headers = new Headers(init.headers);
    if (!headers.has("Authorization")) headers.set("Authorization", credentials);
    const sent = new Request(`http://api.test${address}`, { ...init, method, headers });
    const response = await http.fetch(sent);
    const text = await response.text();
    const { status } = response;
    const answer = { status, headers: response.headers, text, json: () => JSON.parse(text) };
    checkInvariants(sent, answer);
    return answer;
  }

  return {
    ...identity,
    request,
    get: (path, headers = {}) => request("GET", path, { headers }),
    post: (path, form = {}) => request("POST", path, { body: formBody(form) }),
    put: (path, form = {}) => request("PUT", path, { body: formBody(form) }),
    delete: (path) => request("DELETE", path),
    with: (changes) => apiClient(http, { ...identity, ...changes }),
  };
}

const formBody = (form: Form): URLSearchParams =>
  new URLSearchParams(
    Object.entries(form).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
  );

function checkInvariants(request: Request, { status, headers, text, json }: Answer): void {
  const what = `${request.method} ${request.url} → ${status}`;
  assert.match(headers.get("X-Request-Id") ?? "", /^[A-Za-z0-9._-]{8,64}$/, what);
  const { pathname } = new URL(request.url);
  const isDescribed = !pathname.startsWith("/2010-04-01/") || pathname.includes("/Management/");
  if (isDescribed) assertStatusDescribed(request, status);
  if (status === 204 || status === 304 || request.method === "HEAD") {
    return assert.equal(text, "", what);
  }
  if (status === 307) return assert.match(headers.get("Location") ?? "", /^https?:/, what);
  const type = headers.get("Content-Type");
  if (/\.json(\/|$)/.test(pathname)) assert.equal(type, "application/json; charset=utf-8", what);
  if (type === "application/json; charset=utf-8") {
    checkJson(status, json(), what);
    if (isDescribed) assertDescribed(request, { status, body: json() });
  } else if (type === "application/xml; charset=utf-8") {
    checkXml({ status, text, root: isDescribed ? "ServiceResponse" : "TwilioResponse" }, what);
  } else if (type === "audio/wav") assert.match(pathname, /\.wav$/, what);
  else if (type === "audio/mpeg") assert.match(pathname, /\.mp3$/, what);
  else if (type === "application/vnd.tcpdump.pcap") assert.match(pathname, /\.pcap$/, what);
  else if (type === "text/event-stream; charset=utf-8") {
    assert.match(pathname, /\/(Events|Levels)$/, what);
  } else if (type === "text/plain; charset=utf-8") assert.match(pathname, /\.txt$/, what);
  else assert.match(pathname, /^\/(errors\/|docs$)/, what);
}

function checkJson(status: number, body: Record<string, unknown>, what: string): void {
  if (status < 300) return;
  assert.equal(body.status, status, what);
  assert.equal(typeof body.code, "number", what);
  assert.match(String(body.message), /^Cannot /, what);
  assert.equal(body.more_info, `http://api.test/errors/${body.code}`, what);
}

function checkXml(
  { status, text, root }: { status: number; text: string; root: string },
  what: string,
): void {
  assert.ok(text.startsWith(`<?xml version="1.0" encoding="UTF-8"?><${root}>`), what);
  assert.equal(XMLValidator.validate(text), true, what);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(text, /[\x00-\x08\x0b\x0c\x0e-\x1f]/, what);
  if (status < 300) return;
  const error =
    /<RestException><Status>(\d+)<\/Status><Message>Cannot [^<]+<\/Message><Code>(\d+)<\/Code>/
      .exec(text);
  assert.equal(Number(error?.[1]), status, what);
  assert.ok(text.includes(`<MoreInfo>http://api.test/errors/${error?.[2]}</MoreInfo>`), what);
}
