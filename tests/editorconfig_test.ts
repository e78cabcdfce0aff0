import assert from "node:assert/strict";

const root = new URL("../", import.meta.url);
const folders = ["core/", "docs/", "kv/", "routes/", "sip/", "tests/", ".ci/"];
const isText = /\.(?:css|go|html|js|json|lock|md|mod|mjs|mts|py|sum|svg|ts|txt|xml)$/;
const isGo = /\.(?:go|mod|sum)$/;

async function* filesBelow(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const isOwn = name !== "node_modules" && name !== "__pycache__";
    if (isDirectory && isOwn) yield* filesBelow(new URL(`${name}/`, folder));
    else if (isFile && isText.test(name)) yield new URL(encodeURIComponent(name), folder);
  }
}

Deno.test("text files are as .editorconfig says", async () => {
  const wrong: string[] = [];
  let files = 0;
  for (const folder of folders) {
    for await (const file of filesBelow(new URL(folder, root))) {
      const text = await Deno.readTextFile(file);
      const name = file.href.slice(root.href.length);
      files++;
      if (text.includes("\r")) wrong.push(`${name} has a carriage return`);
      if (text !== "" && !text.endsWith("\n")) wrong.push(`${name} has no newline at its end`);
      if (/[ \t]$/m.test(text)) wrong.push(`${name} has blanks at the end of a line`);
      if (/^ *\t/m.test(text) && !isGo.test(name)) wrong.push(`${name} is indented by tabs`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(files > 1_000, String(files));
});
