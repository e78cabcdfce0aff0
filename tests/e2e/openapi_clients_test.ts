import assert from "node:assert/strict";
import { openWorkshop, skipped, type Workshop } from "../support/service/openapi_tools.ts";
import { sharedSystem } from "../support/process/shared_system.ts";
import type { System } from "../support/process/system.ts";

const withSystem = sharedSystem();

/** A test with the service as `deno task start` runs it, and a workshop with the document that it serves. */
function clientTest(
  name: string,
  body: (lab: { system: System; workshop: Workshop }) => Promise<void>,
): void {
  Deno.test({
    name: name + skipped,
    ignore: skipped !== "",
    fn: () =>
      withSystem(async (system) => {
        const response = await fetch(`${system.baseUrl}/openapi.json`);
        await using workshop = await openWorkshop(await response.text());
        await body({ system, workshop });
      }),
  });
}

/** Output of a program on a generated client: it created three applications. */
const wanted = {
  first: ["three", "two"],
  second: ["one"],
  updated: ["ONE", true],
  calls: 0,
  deleted: 204,
  error: 20404,
};

const argsOf = ({ baseUrl, accountSid, authToken }: System) => [baseUrl, accountSid, authToken];
clientTest("redocly and spectral have no warning about the document", async ({ workshop }) => {
  const redocly = ["node_modules/@redocly/cli/bin/cli.js", "lint", "openapi.json"] as const;
  const found = await workshop.node(...redocly, "--extends=recommended", "--format=json");
  const { totals, problems } = JSON.parse(found.slice(found.indexOf("{")));
  assert.deepEqual([totals.errors, totals.warnings], [0, 0], JSON.stringify(problems, null, 1));
  const spectral = "node_modules/@stoplight/spectral-cli/dist/index.js";
  const results = await workshop.node(spectral, "lint", "openapi.json", "--fail-severity=hint");
  assert.match(results, /No results/);
});

clientTest(
  "a client of openapi-typescript and openapi-fetch compiles and works",
  async ({ system, workshop }) => {
    const generator = "node_modules/openapi-typescript/bin/cli.js";
    await workshop.node(generator, "openapi.json", "-o", "api.d.ts");
    await workshop.compile("fetch.mts");
    const printed = await workshop.node("fetch.mjs", ...argsOf(system));
    assert.deepEqual(JSON.parse(printed), wanted);
  },
);

clientTest("a client of @hey-api/openapi-ts compiles and works", async ({ system, workshop }) => {
  await workshop.node("node_modules/@hey-api/openapi-ts/bin/run.js");
  await workshop.compile("hey.mts");
  const printed = await workshop.node("hey.mjs", ...argsOf(system));
  assert.deepEqual(JSON.parse(printed), wanted);
});

clientTest("a client of openapi-python-client compiles and works", async ({ system, workshop }) => {
  const generate = ["-m", "openapi_python_client", "generate", "--path", "openapi.json"] as const;
  await workshop.python(...generate, "--meta", "none", "--output-path", "switchboard_client");
  await workshop.python("-m", "compileall", "-q", "switchboard_client");
  const printed = await workshop.python("program.py", ...argsOf(system));
  assert.deepEqual(JSON.parse(printed), wanted);
});
