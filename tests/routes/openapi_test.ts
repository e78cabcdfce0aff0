import assert from "node:assert/strict";
import { accounts } from "../../core/resources/accounts.ts";
import { availablePhoneNumbers } from "../../core/resources/available_phone_numbers.ts";
import { bindings } from "../../core/resources/bindings.ts";
import { resources } from "../../core/resources/mod.ts";
import { tokens } from "../../core/resources/tokens.ts";
import { usageRecords } from "../../core/resources/usage_records.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import { startApp } from "../support/app.ts";
import { fillIn } from "../support/filled_paths.ts";
import { assertFits, assertFitsSchema, document } from "../support/openapi.ts";
import { makeSample, sampledNames, samples } from "../support/samples.ts";

interface Described {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema?: unknown }> }>;
}

const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation: operation as unknown as Described,
  }))
);

Deno.test("GET /openapi.json answers the document to anybody", async () => {
  using app = await startApp();

  const answer = await app.http.request("/openapi.json");

  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("Content-Type"), "application/json; charset=utf-8");
  assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(document)));
});

Deno.test("GET /docs answers a page that loads nothing and has every operation", async () => {
  using app = await startApp();

  const { status, headers, text } = await app.root.get("/docs", { Authorization: "" });

  assert.equal(status, 200);
  const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
  assert.equal(headers.get("Content-Security-Policy"), policy);
  assert.doesNotMatch(text, /<script|<link|<img|\bsrc=|@import|url\(|undefined|\[object/);
  const shown = described.filter(({ path }) => !path.endsWith(".json"));
  for (const { operation, path, method } of shown) {
    assert.ok(text.includes(`<h3 id="${operation.operationId}">${method} ${path}</h3>`), path);
  }
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...text.matchAll(/ href="#([^"]+)"/g)].map(([, link]) => link);
  assert.deepEqual(links.filter((link) => !ids.has(link)), []);
});

Deno.test("every route is described, and nothing is described that is no route", async () => {
  using app = await startApp();
  const nameless = (path: string) =>
    path.replaceAll(/:\w+(?:\{.+?\})?/g, "{}").replaceAll(/\{\w+\}/g, "{}");
  const routed = new Set(
    app.http.routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${nameless(path)}`),
  );
  const shown = new Set(described.map(({ method, path }) => `${method} ${nameless(path)}`));

  assert.deepEqual([...routed].filter((route) => !shown.has(route)), []);
  const ofSuffix = (route: string) => route.replace(/\.(json|wav|mp3)$/, "");
  assert.deepEqual([...shown].filter((route) => !routed.has(ofSuffix(route))), []);
});

Deno.test("operations have names of their own", () => {
  const ids = described.map(({ operation }) => operation.operationId);
  assert.deepEqual(ids, [...new Set(ids)]);
});

Deno.test("every reference leads to a schema, and every schema is referred to", () => {
  const text = JSON.stringify(document);
  const wanted = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!);
  const known = Object.keys(document.components.schemas!);
  assert.deepEqual([...new Set(wanted)].filter((name) => !known.includes(name)), []);
  assert.deepEqual(known.filter((name) => !wanted.includes(name)), []);
});

Deno.test("every path answers as it is described, none with 404", async () => {
  using app = await startApp();
  const pathOf = await fillIn(app);
  const others = described.filter(({ method }) => method !== "DELETE");
  for (const { method, path, operation: { responses } } of others) {
    const { status, headers, text } = await app.root.request(method, pathOf(path), {
      headers: path.includes("/Supervisor/") ? { Accept: "application/json" } : {},
    });
    const what = `${method} ${path}`;
    assert.notEqual(status, 404, what);
    assert.notEqual(status, 405, what);
    if (method === "GET") assert.ok(status === 200 || path.startsWith("/ready"), what);
    const type = headers.get("Content-Type")!.split(";")[0]!;
    const content = responses[status]?.content;
    if (status >= 400) {
      if (type === "application/json") assertFits("Error", JSON.parse(text));
    } else {
      assert.ok(content?.[type], `${what} answers ${type}`);
      const { schema } = content[type];
      if (type === "application/json") assertFitsSchema(schema, JSON.parse(text), what);
    }
  }
});

Deno.test("every DELETE that is described deletes", async () => {
  for (const { path } of described.filter(({ method }) => method === "DELETE")) {
    using app = await startApp();
    const pathOf = await fillIn(app);
    assert.equal((await app.root.delete(pathOf(path))).status, 204, path);
  }
});

for (const name of sampledNames) {
  const { type, path, create, update }: AnyResource = resources[name];
  const sample = samples[name];

  Deno.test(`${path}: what is sent and what is answered are as ${type} is described`, async () => {
    using app = await startApp();
    const sid = await makeSample(app, app.root, { name });

    assertFits(type, (await app.root.get(`${path}/${sid}.json`)).json());
    assertFits(`${type}List`, (await app.root.get(`${path}.json`)).json());
    if (create !== undefined) {
      const form = sample.create!(2);
      assertFits(`${type}Create`, form);
      assertFits(type, (await app.root.post(`${path}.json`, form)).json());
    }
    if (update !== undefined) {
      const answer = await app.root.post(`${path}/${sid}.json`, sample.update!.form);
      assertFits(type, answer.json());
    }
  });
}

Deno.test("what stands in the golden files is as it is described", async () => {
  const others = {
    accounts,
    available: availablePhoneNumbers,
    bindings,
    tokens,
    usage: usageRecords,
  };
  const definitions: Record<string, AnyResource> = { ...resources, ...others };
  const folder = new URL("../golden/", import.meta.url);
  for await (const { name } of Deno.readDir(folder)) {
    const [, resource, kind] = /^(\w+)_(one|list)\.json$/.exec(name) ?? [];
    if (resource === undefined) continue;
    const value = JSON.parse(await Deno.readTextFile(new URL(name, folder)));
    assertFits(definitions[resource]!.type + (kind === "list" ? "List" : ""), value);
  }
});
