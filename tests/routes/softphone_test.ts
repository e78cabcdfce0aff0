import assert from "node:assert/strict";
import { makeDemo } from "../../core/trials/demo.ts";
import { softphoneFiles } from "../../core/machine/start/softphone_files.ts";
import { softphone } from "../../routes/softphone.ts";
import { type App, startApp } from "../support/service/app.ts";

const wsUrl = "wss://sip.test:8443/ws";

const start = (): Promise<App> =>
  startApp({
    mounts: (ports) => ({ softphone: softphone({ files: softphoneFiles, wsUrl }, ports) }),
  });

const ask = (app: App, path: string, init: RequestInit = {}) =>
  app.http.request(`http://api.test${path}`, init);

Deno.test("GET /softphone is a page that may use this service's files alone", async () => {
  using app = await start();

  const answer = await ask(app, "/softphone");
  const html = await answer.text();
  const policy = Object.fromEntries(
    answer.headers.get("Content-Security-Policy")!.split("; ").map((one) => {
      const [name, ...values] = one.split(" ");
      return [name, values.join(" ")];
    }),
  );

  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("Content-Type"), "text/html; charset=utf-8");
  assert.match(policy["script-src"]!, /^'self' 'sha256-[\w+/]{43}='$/);
  assert.deepEqual(
    [policy["default-src"], policy["style-src"], policy["connect-src"], policy["frame-ancestors"]],
    ["'none'", "'self'", "'self' wss://sip.test:8443", "'none'"],
  );
  assert.match(html, /wrote the password of the Client <b>demo<\/b> to <code>credentials\.json/);
  assert.equal(answer.headers.get("X-Content-Type-Options"), "nosniff");
  assert.equal(answer.headers.get("Referrer-Policy"), "no-referrer");
  assert.match(answer.headers.get("Permissions-Policy")!, /microphone=\(self\)/);
  for (const [name, { text }] of await softphoneFiles()) {
    if (name === "sip.js") continue;
    const foreign = text.replaceAll("http://www.w3.org/2000/svg", "").match(/https?:\/\/[^\s"'`]+/);
    assert.equal(foreign, null, `${name} names ${foreign}`);
    assert.ok(text.split("\n").length <= 250, `${name} is too long`);
  }
  assert.doesNotMatch(html, /\son\w+=|\sstyle=/);
});

Deno.test("GET /softphone/{file} has its type, and 304 for a client with the same ETag", async () => {
  using app = await start();
  const page = await (await ask(app, "/softphone")).text();
  const named = [...page.matchAll(/(?:src|href)="(softphone\/[^"]+)"/g)].map(([, path]) => path!);
  const types = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" };

  assert.ok(named.length >= 4, String(named));
  for (const path of named) {
    const answer = await ask(app, `/${path}`);
    const wanted = types[path.split(".").at(-1) as keyof typeof types];
    assert.ok(answer.headers.get("Content-Type")!.startsWith(wanted), path);
    assert.equal(answer.headers.get("Cache-Control"), "no-cache");
    assert.ok((await answer.text()).length > 0);
    const again = await ask(app, `/${path}`, {
      headers: { "If-None-Match": answer.headers.get("ETag")! },
    });
    assert.deepEqual([again.status, await again.text()], [304, ""], path);
  }
});

Deno.test("GET /softphone/sip.js is compressed for clients that accept it; HEAD answers as GET does", async () => {
  using app = await start();
  const plain = await (await ask(app, "/softphone/sip.js")).text();

  const headers = { "Accept-Encoding": "gzip, br" };
  const zipped = await ask(app, "/softphone/sip.js", { headers });
  const head = await ask(app, "/softphone/sip.js", { method: "HEAD" });

  assert.equal(zipped.headers.get("Content-Encoding"), "gzip");
  const body = zipped.body!.pipeThrough(new DecompressionStream("gzip"));
  assert.equal(await new Response(body).text(), plain);
  assert.equal(head.headers.get("Content-Length"), String(new TextEncoder().encode(plain).length));
  assert.equal(head.headers.get("Content-Type"), "text/javascript; charset=utf-8");
});

Deno.test("a file of the softphone that there is not is not found, also outside its folder", async () => {
  using app = await start();
  for (const name of ["nothing.js", "..%2fmain.ts", "%2e%2e%2fdeno.json", "__proto__"]) {
    assert.equal((await ask(app, `/softphone/${name}`)).status, 404, name);
  }
});

Deno.test("GET /softphone/settings.json has the address to connect to and the demo numbers", async () => {
  using app = await start();
  const settings = async () => await (await ask(app, "/softphone/settings.json")).json();
  const domain = app.ports.settings.sipDomain;
  assert.deepEqual(await settings(), { ws_url: wsUrl, domain, demo_numbers: [] });

  await makeDemo(app.root.sid, "a password", app.ports);

  const { demo_numbers: numbers } = await settings();
  assert.deepEqual(numbers[0], { name: "Echo", number: "+12125550101" });
  assert.equal(numbers.length, 4);
});

Deno.test("softphone() reads its files again after they could not be read", async () => {
  let tries = 0;
  const files = () =>
    ++tries === 1
      ? Promise.reject(new Error("Cannot read"))
      : Promise.resolve(new Map([["index.html", { type: "text/html", text: "<p>" }]]));
  using app = await startApp({
    mounts: (ports) => ({ softphone: softphone({ files, wsUrl }, ports) }),
  });

  assert.equal((await ask(app, "/softphone")).status, 500);
  assert.equal((await ask(app, "/softphone")).status, 200);
  assert.equal((await ask(app, "/softphone")).status, 200);
  assert.equal(tries, 2);
});
