import assert from "node:assert/strict";
import { fastFiles, slow } from "./fast.ts";

const root = new URL("../", import.meta.url);

Deno.test("test:fast takes no file that starts a process, a browser or a companion", async () => {
  const files = await fastFiles();
  assert.ok(files.length > 100, `${files.length} files`);
  for (
    const one of [
      "tests/e2e/crash_test.ts",
      "tests/native_test.ts",
      "tests/sip/interop/sipp_test.ts",
    ]
  ) {
    assert.ok(!files.includes(one), one);
  }
  assert.ok(
    !files.includes("tests/sip/calls/inbound_test.ts"),
    "it starts a companion, by sip_lab.ts",
  );
  assert.ok(files.includes("tests/sip/text/parse_test.ts"));
});

Deno.test("test:fast leaves out as slow only files that there are", async () => {
  for (const file of slow) assert.ok((await Deno.stat(new URL(file, root))).isFile, file);
});
