import assert from "node:assert/strict";
import { softphone } from "../../routes/softphone.ts";
import { protocolRoutes } from "../../routes/protocol/routes.ts";
import { documentationFiles } from "../../core/machine/start/documentation_files.ts";
import { docs } from "../../routes/docs/docs.ts";
import { home } from "../../routes/docs/home.ts";
import { startApp } from "../support/service/app.ts";
import { writeWav } from "../../core/base/wav.ts";
import { type App } from "../support/service/app.ts";
import { makeSample } from "../support/service/samples.ts";

/** A recording of a second of silence, and the link to it. */
async function audioSample(app: App): Promise<{ sid: string; link: string }> {
  const sid = await makeSample(app, app.root, { name: "recordings" });
  await app.ports.blobs.write(app.root.sid, sid, 0, writeWav(new Int16Array(8_000), 8_000));
  const { file_uri: link } = (await app.root.get(`Recordings/${sid}.json`)).json();
  return { sid, link };
}

const options = {
  mounts: (ports: Parameters<typeof protocolRoutes>[0]) => ({
    bridge: protocolRoutes(ports, "secret"),
    docs: docs(documentationFiles, ports),
    "": home(ports),
    softphone: softphone({
      files: () =>
        Promise.resolve(
          new Map([["index.html", { type: "text/html", text: "hi" }], ["a.js", {
            type: "text/javascript",
            text: "1",
          }]]),
        ),
      wsUrl: "ws://sip.test",
    }, ports),
  }),
};

Deno.test("a change that a page of another site sends with Basic credentials is refused", async () => {
  using app = await startApp();
  const form = new URLSearchParams({ Login: "alice", Password: "secret" });
  const post = (headers: HeadersInit) =>
    app.root.request("POST", "Clients.json", { body: form, headers });

  for (
    const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "cross-site", Origin: "http://api.test" },
      { Origin: "https://evil.test" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "same-site", Origin: "http://other.api.test" },
    ]
  ) {
    const answer = await post(headers);
    assert.equal(answer.status, 403, JSON.stringify(headers));
    assert.match(answer.json().message, /a cross-site request/);
  }
  const remove = await app.root.request("DELETE", "Clients/x.json", {
    headers: { "Sec-Fetch-Site": "cross-site" },
  });
  assert.equal(remove.status, 403);
  const read = await app.root.get("Clients.json", { "Sec-Fetch-Site": "cross-site" });
  assert.deepEqual(read.json(), []);
  const own = await post({ "Sec-Fetch-Site": "same-origin", Origin: "http://api.test" });
  assert.equal(own.status, 200);
  const byAddress = await app.root.post("Clients.json", { Login: "bob", Password: "secret" });
  assert.equal(byAddress.status, 200);
});

Deno.test("every answer is nosniff and frames it nowhere; those of accounts are not stored", async () => {
  using app = await startApp(options);
  const open = [
    "/",
    "/health",
    "/ready",
    "/docs",
    "/docs/none",
    "/docs/assets/docs.css",
    "/openapi.json",
    "/errors/20404",
    "/errors/1",
  ];
  const mounted = ["/softphone", "/softphone/a.js", "/softphone/settings.json", "/softphone/none"];
  const answers = await Promise.all([
    ...[...open, ...mounted, "/bridge/news"].map((path) => app.http.request(path)),
    app.http.request("/", { headers: { Accept: "text/html" } }),
    app.http.request("/bridge/news", { method: "POST", body: "{}" }),
    app.http.request("/bridge/none", { method: "POST" }),
    app.http.request(`/2012-04-24/Accounts/${app.root.sid}/Calls`),
  ]);
  const stored = await Promise.all([
    app.root.get("Calls.json"),
    app.root.get(`/2012-04-24/Accounts/${app.root.sid}.json`),
    app.root.get("Calls/none"),
    app.root.delete("Calls.json"),
    app.root.post("Clients.json", {}),
    app.root.post("Clients.json", { Login: "alice", Password: "secret" }),
    app.root.get("/2010-04-01/Accounts/x/Management/Gateways"),
  ]);

  for (const { headers, status } of [...answers, ...stored]) {
    assert.equal(headers.get("X-Content-Type-Options"), "nosniff", String(status));
    const policy = headers.get("Content-Security-Policy") ?? "";
    assert.match(policy, /frame-ancestors 'none'/, String(status));
  }
  for (const { headers, status } of stored) {
    assert.equal(headers.get("Cache-Control"), "no-store", String(status));
  }
});

Deno.test("signed recording links, and they alone, may be read by pages of any origin", async () => {
  using app = await startApp();
  const { sid, link } = await audioSample(app);
  const { pathname, search } = new URL(link);
  const ask = (path: string, method = "GET", headers: HeadersInit = {}) =>
    app.http.request(path, { method, headers: { Origin: "https://page.test", ...headers } });
  const origin = ({ headers }: Response) => headers.get("Access-Control-Allow-Origin");
  const mp3 = pathname.replace(".wav", ".mp3") + search;

  for (const path of [pathname + search, mp3]) {
    const preflight = await ask(path, "OPTIONS", {
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "range",
    });
    assert.deepEqual([preflight.status, origin(preflight)], [204, "*"]);
    assert.match(preflight.headers.get("Access-Control-Allow-Headers") ?? "", /\bRange\b/);
    assert.equal(preflight.headers.get("Access-Control-Allow-Methods"), "GET, HEAD");
    const read = await ask(path);
    await read.body?.cancel();
    assert.deepEqual([read.status, origin(read)], [200, "*"]);
  }
  const range = await ask(pathname + search, "GET", { Range: "bytes=0-3" });
  assert.deepEqual([range.status, origin(range), await range.text()], [206, "*", "RIFF"]);
  assert.match(range.headers.get("Access-Control-Expose-Headers") ?? "", /Content-Range/);

  const list = `/2012-04-24/Accounts/${app.root.sid}/Recordings.json`;
  for (
    const path of [
      pathname,
      `${pathname}${search}0`,
      list + search,
      `${list.slice(0, -5)}/${sid}${search}`,
      "/health",
      "/openapi.json",
    ]
  ) {
    for (const method of ["GET", "OPTIONS"]) {
      assert.equal(origin(await ask(path, method)), null, path);
    }
  }
  assert.equal(origin(await ask(pathname + search, "DELETE")), null);
});

Deno.test("If-None-Match on the audio of a recording is answered 304", async () => {
  using app = await startApp();
  const { sid } = await audioSample(app);
  const get = (format: string, headers: HeadersInit = {}, method = "GET") =>
    app.root.request(method, `Recordings/${sid}.${format}`, { headers });

  for (const format of ["wav", "mp3"]) {
    const first = await get(format);
    const tag = first.headers.get("ETag") ?? "";
    assert.equal(first.status, 200);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const same = await get(format, { "If-None-Match": known, Range: "bytes=0-3" }, method);
        assert.deepEqual([same.status, same.text], [304, ""], known);
        assert.equal(same.headers.get("ETag"), tag);
      }
    }
    assert.equal((await get(format, { "If-None-Match": '"other"' })).status, 200);
  }
});
