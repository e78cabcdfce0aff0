import assert from "node:assert/strict";
import { faults } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { gateways } from "../../core/model/resources/gateways.ts";
import { resources } from "../../core/model/resources/mod.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import { startApp } from "../support/service/app.ts";
import { fillIn } from "../support/service/filled_paths.ts";
import { assertFits, assertFitsSchema, document } from "../support/service/openapi.ts";
import { goldenResources } from "../support/service/openapi_examples.ts";
import { makeSample, sampledNames, samples } from "../support/service/samples.ts";
import { authTokensPath } from "../../routes/twilio/auth_tokens.ts";

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

/**
 * Routes for Twilio's libraries that the document leaves out: docs/reference has their table of
 * conformance. Gateways alone are described there.
 */
const ofTwilio = (path: string) =>
  path.startsWith(`/${limits.gatewayApiVersion}/`) && !path.includes(gateways.path) ||
  path.startsWith(authTokensPath);

Deno.test("every route is described, and nothing is described that is no route", async () => {
  using app = await startApp();
  const nameless = (path: string) =>
    path.replaceAll(/:\w+(?:\{.+?\})?/g, "{}").replaceAll(/\{\w+\}/g, "{}");
  const routed = new Set(
    app.http.routes.filter(({ method, path }) => method !== "ALL" && !ofTwilio(path))
      .map(({ method, path }) => `${method} ${nameless(path)}`),
  );
  const shown = new Set(
    described.map(({ method, path }) =>
      `${method} ${nameless(path).replace(/\.(json|wav|mp3)$/, "")}`
    ),
  );

  assert.deepEqual([...routed].filter((route) => !shown.has(route)), []);
  assert.deepEqual([...shown].filter((route) => !routed.has(route)), []);
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
  const ends = (path: string) => path.includes("/AuthTokens/Promote"); // The token of the test.
  const others = described.filter(({ method }) => method !== "DELETE")
    .toSorted((one, other) => Number(ends(one.path)) - Number(ends(other.path)));
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
      const schema = path.startsWith("/ready") ? "Unready" : "Error";
      if (type === "application/json") assertFits(schema, JSON.parse(text));
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

Deno.test("the golden files fit the schemas of the OpenAPI document", async () => {
  const folder = new URL("../golden/", import.meta.url);
  for await (const { name } of Deno.readDir(folder)) {
    const [, resource, kind] = /^(\w+)_(one|list)\.json$/.exec(name) ?? [];
    if (resource === undefined) continue;
    const value = JSON.parse(await Deno.readTextFile(new URL(name, folder)));
    assertFits(goldenResources[resource]!.type + (kind === "list" ? "List" : ""), value);
  }
});

interface Node {
  [key: string]: unknown;
}

/** Every object in the document with the way to it. */
function* nodesOf(value: unknown, way: string): Generator<[string, Node]> {
  if (typeof value !== "object" || value === null) return;
  yield [way, value as Node];
  for (const [key, inner] of Object.entries(value)) {
    if (key !== "example") yield* nodesOf(inner, `${way}/${key}`);
  }
}

const nodes = [...nodesOf(document, "")];
const isDescribed = (value: unknown) =>
  /\.$/.test((value as { description?: string }).description ?? "");

Deno.test("every property, schema, header, parameter, response and operation is described", () => {
  const parts = nodes.flatMap(([way, node]) => {
    const named = Object.entries(node.properties ?? {}).map((
      [name, one],
    ) => [`${way}/${name}`, one]);
    const isPart =
      /\/(parameters\/\d+|components\/(schemas|headers|responses)\/[^/]+)$/.test(way) ||
      "operationId" in node;
    return isPart ? [...named, [way, node]] : named;
  });
  assert.ok(parts.length > 1_000);
  assert.deepEqual(
    parts.filter(([, part]) => !isDescribed(part)).map(([way]) => way),
    [],
  );
});

Deno.test("every request body is required, and has an example that fits", () => {
  const bodies = described.flatMap(({ path, operation }) => {
    const { requestBody } = operation as unknown as {
      requestBody?: {
        required: boolean;
        content: Record<string, { schema: unknown; example: unknown }>;
      };
    };
    return requestBody === undefined ? [] : [{ path, ...requestBody }];
  });
  assert.ok(bodies.length > 30);
  for (const { path, required, content } of bodies) {
    assert.equal(required, true, path);
    const { schema, example } = content["application/json"]!;
    assertFitsSchema(schema, example, path);
  }
});

Deno.test("every JSON record that is answered has an example that fits", () => {
  for (const { path, operation: { responses } } of described) {
    const { schema, example } = (responses[200]?.content?.["application/json"] ?? {}) as {
      schema?: { $ref?: string };
      example?: unknown;
    };
    const name = schema?.$ref?.split("/").at(-1);
    if (name === undefined || /^(Health|Ready|Unready)$/.test(name)) continue;
    assertFits(name, example);
    assert.ok(example !== undefined, path);
  }
});

Deno.test("an operation that answers JSON stands once, in JSON alone, with its errors by status", () => {
  const paths = described.map(({ path }) => path);
  assert.deepEqual(paths.filter((path) => paths.includes(`${path}.json`)), []);
  for (const { path, method, operation: { operationId, responses } } of described) {
    const types = Object.keys(responses[200]?.content ?? {});
    if (path.endsWith(".json")) {
      assert.ok(types.join() === "application/json" || method === "DELETE", path);
    }
    const refusals = Object.keys(responses).filter((status) => status.startsWith("4"));
    assert.ok(refusals.length > 0, operationId);
    if (path.includes("{AccountSid}")) {
      assert.ok(["401", "403", "404", "429"].every((one) => refusals.includes(one)));
    }
    assert.match(operationId, /^[a-z][A-Za-z0-9]+$/);
  }
  const ids = described.map(({ operation }) => operation.operationId);
  for (
    const id of ["listGateways", "listDeliveries", "createCall", "updateClient", "deleteRecording"]
  ) {
    assert.ok(ids.includes(id), id);
  }
});

Deno.test("the code of an error is an integer of the known codes", () => {
  const { code } = (document.components.schemas!.Error as unknown as {
    properties: { code: { type: string; enum: number[] } };
  }).properties;
  assert.equal(code.type, "integer");
  assert.deepEqual(code.enum, [...new Set(Object.values(faults).map((fault) => fault.code))]);
});
