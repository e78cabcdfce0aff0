import assert from "node:assert/strict";

const root = new URL("../../../", import.meta.url).pathname;

/**
 * A copy of the programs in which files of the product were changed, for faults that have no
 * external cause; the result removes it. Each change gets the text of a file, and must return
 * another one.
 */
export async function changedTree(
  changes: Readonly<Record<string, (text: string) => string>>,
): Promise<{ path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const path = await Deno.makeTempDir();
  // The packages too: the companion may not read what is outside of its tree.
  const entries = [
    "node_modules",
    "core",
    "kv",
    "routes",
    "sip",
    "main.ts",
    "deno.json",
    "deno.lock",
  ];
  const args = ["-a", ...entries.map((name) => root + name), path];
  const { success } = await new Deno.Command("cp", { args }).output();
  assert.ok(success);
  for (const [file, change] of Object.entries(changes)) {
    const before = await Deno.readTextFile(`${path}/${file}`);
    const after = change(before);
    assert.notEqual(after, before, `${file} is as it was`);
    await Deno.writeTextFile(`${path}/${file}`, after);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
