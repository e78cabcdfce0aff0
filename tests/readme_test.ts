import assert from "node:assert/strict";
import { variables } from "../core/machine/configuration/config.ts";
import { verbs } from "../core/markup/verbs/mod.ts";
import { withTables } from "./support/service/reference_tables.ts";

const reference = new URL("../docs/reference/", import.meta.url);
const verbsPage = new URL("verbs.md", reference);

const pages = [
  "configuration.md",
  "verbs.md",
  "flows.md",
  "errors.md",
  "twilio.md",
  "twilio-markup.md",
];
for (const page of pages) {
  Deno.test(`the tables of docs/reference/${page} follow from the declarations (GOLDEN=write puts them in)`, async () => {
    const path = new URL(page, reference);
    const text = await Deno.readTextFile(path);
    assert.match(text, /<!-- \/ -->/);
    const written = withTables(text);
    if (Deno.env.get("GOLDEN") === "write") await Deno.writeTextFile(path, written);
    else assert.equal(text, written);
  });
}

Deno.test("docs/reference/configuration.md has a table of each group of variables", async () => {
  const text = await Deno.readTextFile(new URL("configuration.md", reference));
  for (const { group } of Object.values(variables)) {
    assert.ok(text.includes(`<!-- configuration ${group} -->`), group);
  }
});

Deno.test("README.md has at most 200 lines", async () => {
  const text = await Deno.readTextFile(new URL("../README.md", import.meta.url));
  assert.ok(text.split("\n").length <= 200);
});

Deno.test("docs/contributing.md names files that exist", async () => {
  const text = await Deno.readTextFile(new URL("../docs/contributing.md", import.meta.url));
  const named = [
    ...text.matchAll(/`((?:\.ci|core|docs|kv|routes|sip|tests)\/[\w/.-]*)`/g),
  ];
  assert.ok(named.length > 40, String(named.length));
  for (const [, path] of named) {
    await assert.doesNotReject(Deno.stat(new URL(`../${path}`, import.meta.url)), path);
  }
});

Deno.test("docs/reference/verbs.md has every element of the markup with its attributes", async () => {
  const text = await Deno.readTextFile(verbsPage);
  for (const name of [...verbs.keys(), "Client", "Number", "Sip", "Conference"]) {
    assert.ok(text.includes(`\n## ${name}\n`), `there is no section of ${name}`);
    assert.ok(text.includes(`<!-- attributes ${name} -->`), `there is no table of ${name}`);
  }
});

/** The names in a test file; what is put into one in parentheses of a template shows as `…`. */
async function testNames(path: string): Promise<Set<string>> {
  const source = await Deno.readTextFile(new URL(path, import.meta.url));
  const literals = source.matchAll(/"((?:[^"\\\n]|\\.)*)"|`([^`\n]*)`/g);
  return new Set(
    [...literals].map(([, plain, template]) => plain ?? template!.replace(/\$\{[^}]*\}/g, "…")),
  );
}

/** Looks for every test that a page names; returns how many those are. */
async function assertNamesTests(page: string): Promise<number> {
  const text = await Deno.readTextFile(new URL(page, import.meta.url));
  const named = [...text.matchAll(/`([\w/]+\.ts)`: ([^<|]+?)(?= +\||<br>)/g)];
  for (const [, path, name] of named) {
    assert.ok((await testNames(path!)).has(name!), `${path} has no test "${name}"`);
  }
  return named.length;
}

Deno.test("tests/rfcs.md names tests that exist", async () => {
  assert.ok(await assertNamesTests("rfcs.md") > 50);
});

Deno.test("docs/threat-model.md names tests that exist", async () => {
  assert.ok(await assertNamesTests("../docs/threat-model.md") > 2);
});

Deno.test("sip/media/threat_model.md names tests that exist", async () => {
  assert.ok(await assertNamesTests("../sip/media/threat_model.md") > 20);
});

Deno.test("docs/explanation/guarantees.md names tests that exist", async () => {
  assert.ok(await assertNamesTests("../docs/explanation/guarantees.md") > 15);
});
