import { Hono } from "hono";
import { demoNumbers } from "../core/trials/demo.ts";
import { Fault } from "../core/base/faults.ts";
import type { Ports } from "../core/model/ports/ports.ts";

/** A file of the page. */
export interface SoftphoneFile {
  /** Its media type. */
  type: string;
  text: string;
}

export interface SoftphoneOptions {
  /** Reads the files by name, `index.html` among them; called once. */
  files(): Promise<Map<string, SoftphoneFile>>;
  /** The WebSocket address that the page connects to. */
  wsUrl: string;
  /** Absent: the service has a console. */
  hasConsole?: boolean;
}

type Served = SoftphoneFile & { zipped: Uint8Array<ArrayBuffer>; tag: string; policy: string };

/**
 * The softphone: its page, its files, and `settings.json` with the address to connect to and the
 * demo numbers. It needs no credentials: the companion authenticates Clients. Browsers revalidate
 * every file (304 when it is the same), so that an update shows at once.
 */
export function softphone(
  { files, wsUrl, hasConsole = true }: SoftphoneOptions,
  ports: Ports,
): Hono {
  let loading: Promise<Map<string, Served>> | undefined;
  const load = async () =>
    new Map(
      await Promise.all(
        [...await files()].map(async ([name, file]) =>
          [name, await prepare(hasConsole ? file : withoutConsole(file), wsUrl)] as const
        ),
      ),
    );
  const answer = async (name: string, request: Request): Promise<Response> => {
    loading ??= load();
    loading.catch(() => loading = undefined); // The next request reads the files again.
    const file = (await loading).get(name);
    if (file === undefined) throw new Fault("notFound", name);
    const { type, text, zipped, tag, policy } = file;
    const headers = {
      ...common,
      "Content-Type": type,
      "Content-Security-Policy": policy,
      ETag: `W/"${tag}"`,
      Vary: "Accept-Encoding",
    };
    if (request.headers.get("If-None-Match")?.includes(tag)) {
      return new Response(null, { status: 304, headers });
    }
    if (!/\bgzip\b/.test(request.headers.get("Accept-Encoding") ?? "")) {
      return new Response(text, { headers });
    }
    return new Response(zipped, { headers: { ...headers, "Content-Encoding": "gzip" } });
  };
  return new Hono()
    .get("/", (c) => answer("index.html", c.req.raw))
    // Without `.json`: routing removes this suffix.
    .get("/settings", async (c) => {
      const { sipDomain } = ports.settings;
      const answer = { ws_url: wsUrl, domain: sipDomain, demo_numbers: await demoNumbers(ports) };
      return c.json(answer, 200, { ...common, "Cache-Control": "no-store" });
    })
    .get("/:name", (c) => answer(c.req.param("name"), c.req.raw));
}

const common = {
  "Cache-Control": "no-cache",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
};

/** The page without its link to the console. */
const withoutConsole = (file: SoftphoneFile): SoftphoneFile => ({
  ...file,
  text: file.text.replace('<a href="console">Console</a>', ""),
});

async function prepare(file: SoftphoneFile, wsUrl: string): Promise<Served> {
  const body = new Blob([file.text]).stream().pipeThrough(new CompressionStream("gzip"));
  const zipped = new Uint8Array(await new Response(body).arrayBuffer());
  return { ...file, zipped, tag: await hash(file.text), policy: await policyOf(file, wsUrl) };
}

/** Allows scripts and styles of this service, and connections to the companion. */
async function policyOf({ type, text }: SoftphoneFile, wsUrl: string): Promise<string> {
  if (!type.startsWith("text/html")) return "default-src 'none'; frame-ancestors 'none'";
  const inline = /<script type="importmap">([^<]*)<\/script>/.exec(text)?.[1];
  const map = inline === undefined ? "" : ` 'sha256-${await hash(inline)}'`;
  return [
    "default-src 'none'",
    `script-src 'self'${map}`,
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${new URL(wsUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

const hash = async (text: string): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toBase64();
