import assert from "node:assert/strict";
import { variables } from "../core/host/config.ts";

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
