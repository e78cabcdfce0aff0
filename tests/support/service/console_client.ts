import assert from "node:assert/strict";
import { consoleFiles } from "../../../core/machine/start/console_files.ts";
import { consolePages } from "../../../routes/console/console.tsx";
import { type App, type AppOptions, startApp } from "./app.ts";

/** The service with its console. */
export async function startConsole(options: AppOptions = {}): Promise<App> {
  const app: App = await startApp({
    ...options,
    mounts: (ports) => ({
      console: consolePages(
        { files: consoleFiles, ask: (request) => app.http.fetch(request) },
        ports,
      ),
    }),
  });
  return app;
}

/** A page as a browser without scripts has it. */
export interface ShownPage {
  status: number;
  headers: Headers;
  text: string;
  /** Target of a redirect. */
  path: string;
}

/** A browser without scripts: it keeps cookies, follows redirects, and sends forms with their token. */
export interface ConsoleClient {
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<ShownPage>;
  /** Sends a form with the token of the page that was shown last. */
  post(
    path: string,
    form?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<ShownPage>;
  signIn(name: string, password: string): Promise<ShownPage>;
}

/** A browser at an address of its own. Paths are below `/console`. */
export function consoleClient(app: App, from = "192.0.2.1"): ConsoleClient {
  const cookies = new Map<string, string>();
  let csrf = "";

  async function request(method: string, path: string, init: RequestInit): Promise<ShownPage> {
    const headers = new Headers(init.headers);
    headers.set("Cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const url = `http://api.test${path}`;
    const response = await app.http.fetch(
      new Request(url, { ...init, method, headers }),
      { client: from },
    );
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const [name = "", ...value] = pair.split("=");
      if (/Max-Age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value.join("="));
    }
    const location = response.headers.get("Location");
    if (location !== null) {
      await response.body?.cancel();
      return await request("GET", location, {});
    }
    const text = await response.text();
    csrf = /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? csrf;
    return { status: response.status, headers: response.headers, text, path };
  }

  const client: ConsoleClient = {
    cookies,
    get: (path, headers = {}) => request("GET", `/console${path}`, { headers }),
    post: (path, form = {}, headers = {}) =>
      request("POST", `/console${path}`, {
        body: new URLSearchParams({ csrf, ...form }),
        headers: { "Sec-Fetch-Site": "same-origin", ...headers },
      }),
    async signIn(name, password) {
      const page = await client.post("/sign-in", { name, password });
      assert.ok(page.status < 500, page.text);
      return page;
    },
  };
  return client;
}
