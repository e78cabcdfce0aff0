import { connect } from "node:net";
import { setImmediate } from "node:timers";
import { Hono } from "hono";
import { serveHttp } from "../../../core/machine/net/http_server.ts";
import { consoleFiles } from "../../../core/machine/start/console_files.ts";
import { documentationFiles } from "../../../core/machine/start/documentation_files.ts";
import { softphoneFiles } from "../../../core/machine/start/softphone_files.ts";
import { onError } from "../../../routes/http/errors.ts";
import { consolePages } from "../../../routes/console/console.tsx";
import { docs } from "../../../routes/docs/docs.ts";
import { smsCarrier } from "../../../routes/sms_carrier.ts";
import { softphone } from "../../../routes/softphone.ts";
import { type App, startApp } from "../../support/service/app.ts";
import { usualText } from "./generate.ts";
import { type Parser, textParser } from "./parser.ts";

/** Requests to a whole service, from the first byte of the connection to the end of the response. */

const wsUrl = "wss://sip.test";
const carrierToken = "a token of the carrier";

async function serve(): Promise<{ app: App; port: number }> {
  const app: App = await startApp({
    mounts: (ports) => ({ sms: smsCarrier(ports, carrierToken) }),
  });
  // Apart, as the share of unauthenticated sources would refuse messages in quick succession.
  const pages = new Hono()
    .route(
      "/console",
      consolePages({ files: consoleFiles, ask: (request) => app.http.fetch(request) }, app.ports),
    )
    .route("/docs", docs(documentationFiles, app.ports))
    .route("/softphone", softphone({ files: softphoneFiles, wsUrl }, app.ports));
  pages.onError(onError(app.ports) as never); // Its context has more.
  await pages.request("/docs/search?q=a"); // Its files are read once.
  const address = { hostname: "127.0.0.1", port: 0, name: "PORT" };
  const { address: { port } } = await serveHttp(
    { address, perAddress: 0, isTrustedProxy: () => true },
    (request, arrival) => {
      const isPage = /^https?:\/\/[^/]*\/(?:console|docs|softphone)\//.test(request.url);
      return (isPage ? pages : app.http).fetch(request, arrival);
    },
  );
  return { app, port };
}

let serving: ReturnType<typeof serve> | undefined;

/** Turns of the event loop after which a request without a response counts as not complete. */
const turns = 400;

/** Sends a request, and resolves when the other end has closed. */
async function send(port: number, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let isOver = false;
  const over = () => {
    isOver = true;
    socket.destroy();
    resolve();
  };
  for (const event of ["error", "close", "end"]) socket.on(event, over);
  socket.resume();
  socket.write(new TextEncoder().encode(`${text}\r\n\r\n`)); // A head that has no end has one.
  for (let n = 0; n < turns && !isOver; n++) await new Promise<void>((turn) => setImmediate(turn));
  if (!isOver) socket.end();
  await promise;
}

/** Places of a request that a sender fills as it likes. */
interface Parts {
  method?: string;
  target?: string;
  headers?: string[];
  body?: string;
  type?: string;
}

const form = "application/x-www-form-urlencoded";

interface Operation extends Parts {
  name: string;
  sizes?: number[];
  words?: string[];
  slots?: ((fill: string) => Parts)[];
  /** The body that a usual request has, of a length. */
  usualBody?(length: number): string;
}

/** Headers that a request is judged by. */
const names = [
  "Accept",
  "Accept-Encoding",
  "Accept-Language",
  "Authorization",
  "Connection",
  "Content-Encoding",
  "Content-Length",
  "Content-Type",
  "Cookie",
  "Expect",
  "Forwarded",
  "Host",
  "Idempotency-Key",
  "If-Match",
  "If-Modified-Since",
  "If-None-Match",
  "If-Range",
  "Last-Event-ID",
  "Origin",
  "Range",
  "Referer",
  "Sec-Fetch-Site",
  "TE",
  "Transfer-Encoding",
  "Upgrade",
  "User-Agent",
  "X-Custom",
  "X-CSRF-Token",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-HTTP-Method-Override",
  "X-Request-Id",
  "traceparent",
];
const enclosed: readonly (readonly [string, string])[] = [
  ["", ""],
  ['"', '"'],
  ["Basic ", ""],
  ["Bearer ", ""],
  ["bytes=", ""],
  ["switchboard-console=", ""],
  ["text/html;", ""],
  ["multipart/form-data; boundary=", ""],
];

const words = [
  "a",
  "#",
  " ",
  "\t",
  ",",
  ", ",
  ";",
  "; ",
  "=",
  '"',
  "\\",
  '\\"',
  "/",
  "//",
  ".json",
  "..",
  "/../",
  "%2e",
  "%2F",
  "%",
  "%41",
  "%C3%A9",
  "%ff",
  "?",
  "&",
  "a=b&",
  "a#=b&",
  "a=b; ",
  "a#=b; ",
  "switchboard-console=a; ",
  "\r\n",
  "\r\na: b",
  "\r\na#: b",
  "\r\n#:",
  "\r\nCookie: a=b",
  "\r\nX-Forwarded-For: 192.0.2.1",
  "\r\n ",
  "*",
  "W/",
  'W/"a", ',
  "*/*",
  "application/json;q=0.5,",
  "text/xml,",
  "gzip;q=0.1,",
  "q=0.",
  "0-",
  "1-2,",
  "-1,",
  "QUM6YQ==",
  "+",
  "é",
  "漢",
  "[",
  "]",
  ":",
  "@",
  "<",
  "--a\r\n",
  "1\r\na\r\n",
  "0\r\n\r\n",
  "http://a/",
  "CL0",
  "\0",
];

function written(base: Parts, parts: Parts): string {
  const { method = "GET", target = "/", headers = [], body = "", type } = {
    ...base,
    ...parts,
    headers: [...base.headers ?? [], ...parts.headers ?? []],
  };
  const given = headers.map((header) => header.slice(0, header.indexOf(":")).toLowerCase());
  const length = new TextEncoder().encode(body).length;
  return [
    `${method} ${target} HTTP/1.1`,
    ...given.includes("host") ? [] : ["Host: api.test"],
    "Connection: close",
    ...type === undefined || given.includes("content-type") ? [] : [`Content-Type: ${type}`],
    ...body === "" || given.includes("content-length") ? [] : [`Content-Length: ${length}`],
    ...headers,
    "",
    body,
  ].join("\r\n");
}

/** Browsers and libraries send so much; the rest is a cookie and headers of a proxy. */
const usualHeaders = (length: number): string[] => [
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Safari/537.36",
  "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "Accept-Encoding: gzip, deflate, br, zstd",
  "Accept-Language: en-GB,en;q=0.9,de;q=0.8",
  "X-Forwarded-For: 198.51.100.7",
  ...Array.from(
    { length: Math.min(40, Math.ceil(length / 400)) },
    (_, n) => `X-Header-${n}: ${"abcdefgh".repeat(Math.min(100, length / 320))}`,
  ),
];

/** As many headers as a head can hold, each of a few bytes. */
const tiny = (fill: string): string[] =>
  (fill.match(/[^\r\n:]{1,3}/g) ?? []).slice(0, 3_000).map((part, n) =>
    `${n.toString(36)}: ${part}`
  );

function requests(operation: Operation): Parser {
  const { name, sizes = [1_000, 8_000, 30_000], usualBody } = operation;
  const to = (parts: Parts) => written(operation, parts);
  const path = operation.target ?? "/";
  return textParser({
    name: `HTTP: ${name}`,
    sizes,
    words: [...words, ...operation.words ?? []],
    pairs: [['"', '"'], ["[", "]"], ["%5B", "%5D"]],
    sample: to({ headers: usualHeaders(500), body: usualBody?.(200) ?? "" }),
    usual: (size) =>
      usualBody === undefined
        ? to({ headers: usualHeaders(Math.max(0, size - 700)) })
        : to({ headers: usualHeaders(0), body: usualBody(Math.max(1, size - 700)) }),
    slots: [
      ...names.flatMap((header) =>
        enclosed.map(([before, after]) => (fill: string) =>
          to({ headers: [`${header}: ${before}${fill}${after}`] })
        )
      ),
      (fill) => fill,
      (fill) => to({ headers: [fill] }),
      (fill) => to({ headers: tiny(fill) }),
      (fill) => to({ headers: [`${fill}: a`] }),
      (fill) => to({ method: fill }),
      (fill) => to({ target: fill }),
      (fill) => to({ target: `/${fill}` }),
      (fill) => to({ target: `${path}/${fill}` }),
      (fill) => to({ target: `${path.slice(0, -5)}/${fill}` }),
      (fill) => to({ target: `${path}?${fill}` }),
      (fill) => to({ headers: ["Transfer-Encoding: chunked"], body: fill }),
      (fill) => to({ method: "POST", type: "multipart/form-data; boundary=a", body: fill }),
      ...(operation.slots ?? []).map((slot) => (fill: string) => to(slot(fill))),
    ],
    async read(text) {
      serving ??= serve();
      const { app, port } = await serving;
      await send(
        port,
        text.replaceAll(placeOfSid, app.root.sid).replaceAll(placeOfKey, keyOf(app)),
      );
    },
  });
}

const placeOfSid = "{sid}";
const placeOfKey = "{key}";
const keyOf = ({ root }: App): string =>
  new TextEncoder().encode(`${root.sid}:${root.token}`).toBase64();
const authorized = [`Authorization: Basic ${placeOfKey}`];
const below = `/2012-04-24/Accounts/${placeOfSid}`;

const lists = requests({
  name: "a list",
  target: `${below}/Calls.json`,
  headers: authorized,
  slots: [
    (fill) => ({ headers: [`Accept: application/json;${fill}`] }),
    (fill) => ({ target: `${below}/${fill}.json` }),
    (fill) => ({ target: `${below}/Calls/${fill}.json` }),
    (fill) => ({ target: `/2010-04-01/Accounts/${placeOfSid}/${fill}` }),
    (fill) => ({ target: `/2010-04-01/Accounts/${placeOfSid}/Messages/${fill}/Media.json` }),
  ],
});

const audio = requests({
  name: "audio",
  target: `${below}/Recordings/RE${"0".repeat(32)}.wav`,
  headers: authorized,
  slots: [
    (fill) => ({ target: `${below}/Recordings/${fill}.mp3` }),
    (fill) => ({
      target: `${below}/Recordings/RE${"0".repeat(32)}.wav?expires=1&signature=${fill}`,
    }),
    (fill) => ({ headers: [`Range: bytes=0-1,${fill}`] }),
  ],
});

const strangers = requests({
  name: "a stranger",
  target: `${below}/Calls.json`,
  slots: [
    (fill) => ({
      headers: [`Authorization: Basic ${btoa(fill.replaceAll(/[^\x20-\x7e]/g, "a"))}`],
    }),
    (fill) => ({ target: `/errors/${fill}` }),
    (fill) => ({ target: `/softphone/${fill}` }),
    (fill) => ({ target: `/console/${fill}` }),
  ],
});

const search = requests({
  name: "a search of the documentation",
  target: "/docs/search?q=webhook+retry",
  slots: [
    (fill) => ({ target: `/docs/search?q=${fill}` }),
    (fill) => ({ target: `/docs/${fill}` }),
  ],
});

const signIn = requests({
  name: "a sign-in",
  sizes: [1_000, 20_000, 300_000],
  method: "POST",
  target: "/console/sign-in",
  headers: ["Sec-Fetch-Site: same-origin", "Cookie: switchboard-console=abc"],
  type: form,
  words: ["name=", "password=", "next=", "&next=/", "a@b.test", "AC0"],
  usualBody: (length) =>
    new URLSearchParams({
      name: "alice@example.com",
      password: "a long secret",
      next: `/calls?${usualText(length)}`,
    }).toString().slice(0, length),
  slots: [
    ...["name", "password", "next", "csrf", "code"].map((field) => (fill: string) => ({
      body: `name=alice@example.com&password=a&${field}=${fill}`,
    })),
    (fill) => ({ body: fill }),
    (fill) => ({ body: `name=a&password=b&next=/${fill}` }),
    (fill) => ({ body: fill, type: "application/json" }),
    (fill) => ({ target: "/console/code", body: `code=${fill}` }),
    (fill) => ({ method: "GET", target: `/console/sign-in?next=${fill}`, body: "" }),
  ],
});

const carrierText = (text: string): string =>
  JSON.stringify({ id: "1", from: "+15550100", to: "+15550101", text, body: text });
const carrier = requests({
  name: "an aggregator of texts",
  sizes: [1_000, 8_000, 60_000],
  method: "POST",
  target: "/sms/messages",
  headers: [`Authorization: Bearer ${carrierToken}`],
  type: "application/json",
  words: ["{", "}", '"a":1,', '"a#":1,', "[", "]", "null,"],
  usualBody: (length) => carrierText(usualText(length)),
  slots: [
    (fill) => ({ body: fill }),
    (fill) => ({ body: `{${fill}"a":1}` }),
    (fill) => ({ body: `{"from":${fill}}` }),
    (fill) => ({ body: carrierText(fill) }),
    (fill) => ({ target: "/sms/receipts", body: `{"id":"a","status":"${fill}"}` }),
    (fill) => ({ headers: [`Authorization: Bearer ${fill}`] }),
  ],
});

export const httpParsers: Parser[] = [lists, audio, strangers, search, signIn, carrier];
