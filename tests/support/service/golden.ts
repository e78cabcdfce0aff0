import assert from "node:assert/strict";

const folder = new URL("../../golden/", import.meta.url);

/**
 * Compares a text with its golden file; with `GOLDEN=write` in the environment the file is written
 * instead. Markup is written with one element a line, so that a change shows as a readable diff.
 */
export async function golden(name: string, text: string): Promise<void> {
  const kept = name.endsWith(".json")
    ? JSON.stringify(JSON.parse(text), null, 2) + "\n"
    : text.replaceAll("><", ">\n<") + "\n";
  const file = new URL(name, folder);
  if (Deno.env.get("GOLDEN") === "write") return await Deno.writeTextFile(file, kept);
  assert.equal(kept, await Deno.readTextFile(file), `tests/golden/${name}`);
}
