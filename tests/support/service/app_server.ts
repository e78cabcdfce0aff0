/** A customer's application server: answers with markup and audio, and records its requests. */
export interface AppServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: { path: string; form: Record<string, string>; headers: Headers }[];
  /** Markup, audio or a status, by path. A path that is not here is answered 200 and empty. */
  readonly pages: Map<string, string | Uint8Array<ArrayBuffer> | number>;
  /** Called for every request, after it was recorded. */
  onRequest: ((path: string, form: Record<string, string>) => void) | undefined;
  /** The forms that came to a path. */
  sent(path: string): Record<string, string>[];
  /** The first request, past or to come, to a path that fits. */
  asked(
    path: string,
    fits?: (form: Record<string, string>) => boolean,
  ): Promise<Record<string, string>>;
}

const patienceMs = 60_000;

/** Starts one on an address of this machine; the loopback's unless given. */
export function startAppServer(hostname = "127.0.0.1"): AppServer {
  const waiting = new Set<() => void>();
  const server = Deno.serve({ hostname, port: 0, onListen() {} }, async (request) => {
    const { pathname: path } = new URL(request.url);
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    self.requests.push({ path, form, headers: request.headers });
    for (const check of waiting) check();
    self.onRequest?.(path, form);
    const page = self.pages.get(path) ?? "";
    if (typeof page === "number") return new Response(null, { status: page });
    const type = typeof page === "string" ? "text/xml" : "audio/wav";
    return new Response(page, { headers: { "content-type": type } });
  });
  const self: AppServer = {
    url: `http://${hostname}:${server.addr.port}`,
    requests: [],
    onRequest: undefined,
    pages: new Map(),
    sent: (wanted) => self.requests.filter(({ path }) => path === wanted).map(({ form }) => form),
    asked(path, fits = () => true) {
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, string>>();
      const late = setTimeout(() => reject(new Error(`Nobody asked for ${path}`)), patienceMs);
      const check = () => {
        const found = self.sent(path).find(fits);
        if (found === undefined) return;
        waiting.delete(check);
        clearTimeout(late);
        resolve(found);
      };
      waiting.add(check);
      check();
      return promise;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return self;
}
