import assert from "node:assert/strict";
import { variables } from "../core/configuration/config.ts";
import { verbs } from "../core/markup/verbs/mod.ts";

const readme = new URL("../README.md", import.meta.url);

/** The table of variables as the README shows it. */
function table(): string {
  const rows = Object.entries(variables).map(([name, { fallback, help }]) => {
    const value = typeof fallback === "string" && fallback !== "" ? `\`${fallback}\`` : "";
    return `| \`${name}\` | ${value} | ${help} |`;
  });
  return ["| Variable | Default | Meaning |", "|---|---|---|", ...rows].join("\n");
}

Deno.test("README.md lists every variable (GOLDEN=write puts the table in)", async () => {
  const text = await Deno.readTextFile(readme);
  const marked = /(?<=<!-- configuration -->\n)[^]*?(?=<!-- \/configuration -->)/;
  assert.match(text, marked);
  const written = text.replace(marked, () => table() + "\n");
  if (Deno.env.get("GOLDEN") === "write") await Deno.writeTextFile(readme, written);
  else assert.equal(text, written);
});

Deno.test("README.md and the map name files that exist", async () => {
  const text = await Deno.readTextFile(readme);
  const named = text.matchAll(/`((?:core|kv|routes|sip|tests)\/[\w/.]*)`/g);
  for (const [, path] of named) {
    await assert.doesNotReject(Deno.stat(new URL(`../${path}`, import.meta.url)), path);
  }
});

Deno.test("README.md tells every verb of the markup, with every attribute", async () => {
  const rows = (await Deno.readTextFile(readme)).split("\n");
  for (const { name, attributes } of verbs.values()) {
    const row = rows.find((row) => row.startsWith(`| \`${name}\` |`));
    assert.ok(row !== undefined, `there is no row of ${name}`);
    for (const attribute of Object.keys(attributes)) {
      assert.ok(row.includes(`\`${attribute}\``), `the row of ${name} lacks ${attribute}`);
    }
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

Deno.test("tests/README.md names tests that exist", async () => {
  assert.ok(await assertNamesTests("README.md") > 50);
});

Deno.test("docs/threat-model.md names tests that exist", async () => {
  assert.ok(await assertNamesTests("../docs/threat-model.md") > 20);
});
