import assert from "node:assert/strict";
import { Hono } from "hono";
import { documentationFiles } from "../../core/machine/start/documentation_files.ts";
import { docs } from "../../routes/docs/docs.ts";
import { home } from "../../routes/docs/home.ts";
import { examplesOf } from "../../routes/docs/examples.ts";
import { renderMarkdown } from "../../routes/docs/markdown.ts";
import { startApp } from "../support/service/app.ts";
import { document } from "../support/service/openapi.ts";
import { run } from "../support/process/run.ts";
import { needs } from "../support/process/programs.ts";

const settings = {
  baseUrl: "https://phone.example/pbx",
  clientPasswordMin: 4,
  recordingsOpenInS3: false,
} as Parameters<typeof docs>[1]["settings"];

const files = () =>
  Promise.resolve({
    pages: new Map([
      [
        "how-to/record",
        "# Record calls\n\nHow to record.\n\n## On request\n\nSee [limits](../limits.md#most).",
      ],
      ["limits", "# Limits\n\n[Source](../core/limits.ts) and [next](how-to/record.md) <b>x</b>"],
    ]),
    assets: new Map(),
  });
const at = (site: Hono) => new Hono().route("/docs", site);
const made = at(docs(files, { settings }));
const get = async (path: string) => {
  const response = await made.request(`/docs${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

Deno.test("/docs shows the pages of docs/ and leads from one to the other, below the base URL", async () => {
  const page = await get("/how-to/record");

  assert.equal(page.status, 200);
  assert.match(page.text, /<h1 id="record-calls">Record calls<\/h1>/);
  assert.match(page.text, /<a href="\/pbx\/docs\/limits#most">limits<\/a>/);
  assert.match(
    page.text,
    /<a href="\/pbx\/docs\/how-to\/record" aria-current="page">Record calls<\/a>/,
  );
  const limits = await get("/limits");
  assert.match(limits.text, /<p>Source and <a href="\/pbx\/docs\/how-to\/record">next<\/a>/);
});

Deno.test("/docs has a page for each resource, with every operation in three languages", async () => {
  const first = (await get("")).text;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({
      path,
      ...operation as { operationId: string; tags: string[] },
    }))
  );
  const links = [...first.matchAll(/href="\/pbx\/docs(\/api\/[^"#]+)"/g)].map(([, path]) => path!);
  const pages = await Promise.all([...new Set(links)].map(get));
  const all = pages.map(({ text }) => text).join("");

  assert.ok(operations.length > 100);
  const twins = /^put/; // The part of the POST says that PUT does the same.
  assert.match(all, /<b>POST<\/b> or <b>PUT<\/b>/);
  for (const { operationId, path } of operations.filter((one) => !twins.test(one.operationId))) {
    const part = all.split(`<h2 id="${operationId}">`)[1]?.split("<h2 ")[0];
    assert.ok(part !== undefined, operationId);
    for (const language of ["curl", "Node.js", "Python"]) {
      assert.ok(part.includes(`<summary>${language}</summary>`), operationId);
    }
    assert.ok(part.includes(`https://phone.example/pbx${path.split("{")[0]}`), operationId);
  }
  assert.doesNotMatch(all, /undefined|\[object/);
});

Deno.test("/docs/search finds sections by all of their words, and shows a query as text", async () => {
  const found = (await get("/search?q=record+request")).text;
  assert.match(found, /href="\/pbx\/docs\/how-to\/record#on-request"/);
  const nothing = (await get("/search?q=%3Cscript%3Exyzzy")).text;
  assert.match(nothing, /Nothing found for “&lt;script&gt;xyzzy”/);
  assert.doesNotMatch(nothing, /<script/);
});

Deno.test("/docs/search finds synonyms, guides first, in plain text", async () => {
  const real = at(docs(documentationFiles, { settings }));
  const search = async (query: string) => {
    const response = await real.request(`/docs/search?q=${encodeURIComponent(query)}`);
    const [, text = ""] = /<ol class="results">(.*?)<\/ol>/s.exec(await response.text())!;
    const results = [
      ...text.matchAll(/<li><a href="\/pbx\/docs\/([^"#]+)[^>]*>.*?<\/a>\n<p>(.*?)<\/p>/gs),
    ];
    return results.map(([, page = "", excerpt = ""]) => ({ page, excerpt }));
  };

  for (
    const [query, page] of Object.entries({
      voicemail: "tutorials/ivr-node",
      docker: "how-to/production",
      kubernetes: "how-to/production",
      "2fa": "how-to/console",
      "How do I verify webhook signatures?": "how-to/verify-signatures",
      "apikeys": "how-to/api-keys",
      "move from one xyzzy upgrade": "how-to/upgrade",
    })
  ) {
    const found = await search(query);
    assert.ok(found.slice(0, 3).some((one) => one.page === page), `${query}: ${found[0]?.page}`);
  }
  const all = await Promise.all(["webhooks", "configuration", "call", "trunk"].map(search));
  const debris = all.flat().filter(({ excerpt }) => /\]\(|&lt;!--|\*\*/.test(excerpt));
  assert.deepEqual(debris, []);
});

Deno.test("the sidebar has the pages in the order of the first page", async () => {
  const real = at(docs(documentationFiles, { settings }));
  const text = await (await real.request("/docs")).text();
  const [, tutorials = ""] = /<p class="group">Tutorials<\/p>\s*<ul>(.*?)<\/ul>/s.exec(text)!;
  const paths = [...tutorials.matchAll(/href="\/pbx\/docs\/tutorials\/([^"]+)"/g)];
  assert.equal(paths[0]?.[1], "ivr-node");
});

Deno.test("/docs runs no script and loads nothing from elsewhere", async () => {
  const { headers, text } = await get("/api/call");
  const policy = headers.get("Content-Security-Policy")!;
  assert.match(policy, /^default-src 'none'; style-src 'self'; img-src 'self'/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  assert.doesNotMatch(text, /<script|<style| style="| on\w+="|src="http/);
});

Deno.test("a page that is not there answers 404", async () => {
  using app = await startApp({ mounts: (ports) => ({ docs: docs(files, ports) }) });
  const { status, text } = await app.root.get("/docs/none.json");
  assert.equal(status, 404);
  assert.equal(JSON.parse(text).code, 20404);
  const page = await app.http.request("/docs/none", { headers: { Accept: "text/html" } });
  assert.equal(page.status, 404);
  assert.match(await page.text(), /<h1>Page not found<\/h1>/);
});

Deno.test("GET / leads browsers to softphone, docs and a first request; programs get 404", async () => {
  using app = await startApp({ mounts: (ports) => ({ "": home(ports) }) });
  const page = await app.http.request("/", { headers: { Accept: "text/html,*/*;q=0.8" } });
  const text = await page.text();

  assert.equal(page.status, 200);
  for (const link of ["/softphone", "/docs", "/openapi.json"]) {
    assert.ok(text.includes(`href="${link}"`));
  }
  assert.match(
    text,
    /curl &quot;http:\/\/api\.test\/2012-04-24\/Accounts\/\$ACCOUNT_SID\/Clients\.json&quot;/,
  );
  for (const accept of ["application/xml", "application/json", "*/*"]) {
    const { status, headers } = await app.http.request("/", { headers: { Accept: accept } });
    assert.equal(status, 404);
    const type = accept === "application/json" ? "json" : "xml";
    assert.equal(headers.get("Content-Type"), `application/${type}; charset=utf-8`);
  }
});

Deno.test("the Client of the first request at GET / has a password that the service takes", async () => {
  for (const clientPasswordMin of [1, 4, 7, 12, 128]) {
    using app = await startApp({
      mounts(ports) {
        ports.settings.clientPasswordMin = clientPasswordMin;
        return { "": home(ports) };
      },
    });
    const page = await app.http.request("/", { headers: { Accept: "text/html" } });
    const [, Password] = /-d Login=alice -d Password=(\w+)</.exec(await page.text())!;

    const made = await app.root.post("Clients.json", { Login: "alice", Password: Password! });
    assert.equal(made.status, 200, `${clientPasswordMin}: ${made.text}`);
  }
});

Deno.test("every link and anchor of the documentation as it stands leads somewhere", async () => {
  const standing = at(docs(documentationFiles, { settings }));
  const read = async (path: string) => await (await standing.request(`/docs${path}`)).text();
  const pages = new Map<string, string>();
  const open = [""];
  const links: { from: string; to: string; anchor: string | undefined }[] = [];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const text = await read(path);
    pages.set(path, text);
    for (const [, link] of text.matchAll(/href="([^"]+)"/g)) {
      const { pathname, hash } = new URL(link!, `https://phone.example/pbx/docs${path}`);
      if (
        !pathname.startsWith("/pbx/docs") || pathname.includes("/assets/") || /^https?:/.test(link!)
      ) continue;
      const to = pathname.slice("/pbx/docs".length);
      links.push({ from: path, to, anchor: hash.slice(1) || undefined });
      if (to !== "/search") open.push(to);
    }
  }
  assert.ok(pages.size > 25);
  const broken = links.filter(({ to, anchor }) => {
    const page = pages.get(to);
    return page === undefined || !page.includes("<h1") ||
      anchor !== undefined && anchor !== "content" &&
        !page.includes(` id="${decodeURIComponent(anchor)}"`);
  });
  assert.deepEqual(broken, []);
});

Deno.test("the examples are valid programs", needs("node", "python3"), async () => {
  const request = {
    url: "https://phone.example/2012-04-24/Accounts/{AccountSid}/Calls/{Sid}.json",
    body: { Url: "https://app.test/it's", Mute: true, Timeout: 5 },
    needsCredentials: true,
    isJson: true,
  };
  for (const method of ["GET", "POST", "DELETE"]) {
    const { body: _, ...bare } = request;
    const examples = examplesOf({ ...(method === "POST" ? request : bare), method });
    const [[, curl], [, node], [, python]] = examples as [
      [string, string],
      [string, string],
      [string, string],
    ];
    const shown = await run("sh", [
      "-c",
      `curl() { printf '%s\n' "$@"; }; ACCOUNT_SID=AC1; AUTH_TOKEN=t; SID=CA1; ${curl}`,
    ]);
    assert.match(shown, /^https:\/\/phone\.example\/2012-04-24\/Accounts\/AC1\/Calls\/CA1\.json$/m);
    if (method === "POST") assert.match(shown, /^Url=https:\/\/app\.test\/it's$/m);
    await run("node", ["--check", "--input-type=module", "-"], node);
    await run("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], python);
  }
});

Deno.test("Markdown gives headings ids of their own, and escapes code", () => {
  const { html, title, sections } = renderMarkdown(
    "# A & B\n\n## Set up TLS!\n\n`<x>`\n\n## Set up TLS!\n",
    String,
  );
  assert.equal(title, "A & B");
  assert.match(html, /<h2 id="set-up-tls">/);
  assert.match(html, /<h2 id="set-up-tls-1">/);
  assert.match(html, /<code>&lt;x&gt;<\/code>/);
  assert.deepEqual(sections.map(({ id }) => id), ["a--b", "set-up-tls", "set-up-tls-1"]);
});
