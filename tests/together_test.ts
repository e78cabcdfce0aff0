import assert from "node:assert/strict";
import { groupsOf, joinedFiles } from "../.ci/together.ts";

Deno.test("the gate puts each file that stays in its process into one group, and no other", async () => {
  const joined = await joinedFiles();
  assert.ok(joined.includes("tests/flows/calls_test.ts"));
  assert.ok(joined.includes("tests/sip/text/parse_test.ts"));
  for (const file of joined) assert.doesNotMatch(file, /^tests\/(e2e|nat|soak|fuzz|native)/);

  const groups = groupsOf(joined);
  assert.deepEqual(groups.flatMap(([, files]) => files).sort(), joined.toSorted());
  assert.equal(new Set(groups.map(([name]) => name)).size, groups.length);
});

Deno.test("a group has files of one folder, as many as the folder's others have", () => {
  const files = ["a", "b", "c", "d", "e"].map((name) => `tests/kv/${name}_test.ts`);
  assert.deepEqual(groupsOf([...files, "tests/sip/f_test.ts"], 3), [
    ["kv_1_test.ts", [files[0], files[2], files[4]]],
    ["kv_2_test.ts", [files[1], files[3]]],
    ["sip_1_test.ts", ["tests/sip/f_test.ts"]],
  ]);
});

Deno.test("tests that are put together are reported by the files that declare them", async () => {
  const folder = await Deno.makeTempDir();
  const declared = "./tests/sip/text/digest_test.ts";
  const url = new URL(`../${declared}`, import.meta.url).href;
  await Deno.writeTextFile(`${folder}/group_test.ts`, `import "${url}";`);
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--config=tests/deno.json"]
      .concat(["--parallel", `--junit-path=${folder}/report.xml`, `${folder}/group_test.ts`]),
    cwd: new URL("../", import.meta.url),
    stdout: "null",
    stderr: "null",
  }).output();
  assert.equal(code, 0);
  assert.match(
    await Deno.readTextFile(`${folder}/report.xml`),
    new RegExp(`<testsuite name="${declared}" tests="[1-9]`),
  );
  await Deno.remove(folder, { recursive: true });
});
