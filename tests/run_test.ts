import assert from "node:assert/strict";
import { allTestFiles, closureOf } from "./imports.ts";
import { partsOf } from "./main.ts";
import { filesReached } from "./reach.ts";
import { resultOf, runParts } from "./run.ts";

const silent = () => Promise.resolve();

/** A folder with files of tests. */
async function folderOf(files: Record<string, string>) {
  const folder = await Deno.makeTempDir();
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

Deno.test("each test file is in one part of the whole run", async () => {
  const parts = Object.values(await partsOf());
  assert.deepEqual(parts.flat().sort(), await allTestFiles());
  for (const files of parts) assert.ok(files.length > 0);
});

Deno.test("the result of a part is read from the last line of its runner", () => {
  const inner = "ok | 7 passed | 0 failed (4ms)\n";
  assert.deepEqual(
    resultOf(`${inner}FAILED | 1938 passed (36 steps) | 2 failed | 3 ignored (1m)\n`),
    {
      passed: 1938,
      failed: 2,
      skipped: 3,
    },
  );
  assert.deepEqual(resultOf("FAILED | 4 passed | 1 failed (1 step) | 2 filtered out (4ms)\n"), {
    passed: 4,
    failed: 1,
    skipped: 0,
  });
  assert.equal(resultOf("ok (4ms)\n"), null);
});

Deno.test("parts count passed, failed and skipped tests, and one that ends before as failed", async () => {
  await using made = await folderOf({
    "a_test.ts": 'Deno.test("a", () => {}); Deno.test.ignore("b", () => {});',
    "b_test.ts": 'Deno.test("c", () => { throw new Error("of c"); });',
    "c_test.ts": 'Deno.test("d", () => Deno.kill(Deno.pid, "SIGKILL"));',
  });
  const part = (name: string) => ({ name, files: [`${made.folder}/${name}_test.ts`], jobs: 1 });
  const result = await runParts([part("a"), part("b"), part("c")], made.folder, silent);
  assert.deepEqual(result, { passed: 1, failed: 2, skipped: 1 });
  assert.match(await Deno.readTextFile(`${made.folder}/b`), /of c/);
});

Deno.test("a part that stands still is ended, and its child processes hold up nothing", async () => {
  await using made = await folderOf({
    "a_test.ts": `Deno.test("first", () => {});
      Deno.test("second", async () => {
        const child = new Deno.Command("sleep", { args: ["600"], stderr: "inherit" }).spawn();
        Deno.writeTextFileSync(new URL("./pid", import.meta.url), String(child.pid));
        await child.status;
      });`,
  });
  const part = { name: "a", files: [`${made.folder}/a_test.ts`], jobs: 1, standstillMs: 5_000 };
  const result = await runParts([part], made.folder, silent);
  Deno.kill(Number(await Deno.readTextFile(`${made.folder}/pid`)));
  assert.deepEqual(result, { passed: 0, failed: 1, skipped: 0 });
  assert.match(
    await Deno.readTextFile(`${made.folder}/a`),
    /a stood still, after: first \.\.\. ok/,
  );
});

Deno.test("a part begins when the promise that it waits for has settled", async () => {
  await using made = await folderOf({
    "a_test.ts":
      'Deno.test("a", () => Deno.readTextFileSync(new URL("./there", import.meta.url)));',
  });
  const after = Deno.writeTextFile(`${made.folder}/there`, "");
  const files = [`${made.folder}/a_test.ts`];
  const result = await runParts([{ name: "a", files, jobs: 1, after }], made.folder, silent);
  assert.deepEqual(result, { passed: 1, failed: 0, skipped: 0 });
});

Deno.test("test:reach takes the tests that import a changed file, and smoke tests", async () => {
  const files = await filesReached(["sip/text/digest.ts"]);
  assert.ok(files.includes("tests/sip/text/digest_test.ts"));
  assert.ok(files.includes("tests/sip/calls/inbound_test.ts"), "by the companion");
  assert.ok(files.includes("tests/e2e/sending_test.ts"));
  assert.ok(!files.includes("tests/core/model/rest/paging_test.ts"));
  assert.ok(!files.includes("tests/e2e/crash_test.ts"));
});

Deno.test("test:reach takes tests of whole systems when their test modules were changed", async () => {
  const files = await filesReached(["tests/support/process/small_disk.ts"]);
  assert.ok(files.includes("tests/e2e/full_disk_test.ts"));
  assert.ok(!files.includes("tests/e2e/crash_test.ts"));
});

Deno.test("the imports of a test reach Workers and modules that are named by their address", async () => {
  const closure = await closureOf("tests/sip/media/worker/media_worker_test.ts");
  assert.ok([...closure].some((file) => file.startsWith("sip/media/worker/")), [...closure].join());
  assert.ok(closure.has("sip/media/worker/worker.ts"), [...closure].join());
});

/** Programs of every machine that has Node and npm. */
const everywhere = /^(sh|cp|cat|env|nice|mount|umount|sleep|node|npm|npx)$/;

Deno.test("a test file that starts a program of others by its name says that it needs it", async () => {
  const faults = [];
  let count = 0;
  for (const file of await allTestFiles()) {
    const text = await Deno.readTextFile(new URL(`../${file}`, import.meta.url));
    const started = [...text.matchAll(/(?<![.\w])(Deno\.Command|run|output)\(\s*"([\w-]+)"/g)]
      .filter(([, by]) => by !== "run" || text.includes("/process/run.ts"))
      .map(([, , program]) => program!).filter((program) => !everywhere.test(program));
    const said = [...text.matchAll(/\b(?:needs\(|missingOf\(\[)([^)\]]*)/g)].join();
    if (file.startsWith("tests/nat/")) continue; // `natTest()` says it.
    for (const program of new Set(started)) {
      count++;
      if (!said.includes(`"${program}"`)) faults.push(`${file} starts ${program}`);
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(count > 5, `${count} programs`);
});

Deno.test("without the programs of others, their tests are skipped and nothing fails", async () => {
  const bare = await Deno.makeTempDir(); // As PATH: no program but Deno is found.
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config=tests/deno.json", "tests/main.ts", "--no-check", "--parallel"]
      .concat([
        "tests/core/admin/turn_test.ts",
        "tests/core/calls/sip_pcap_test.ts",
        "tests/e2e/documented_tasks_test.ts",
        "tests/sip/media/webrtc/dtls_openssl_test.ts",
      ]),
    cwd: new URL("../", import.meta.url),
    clearEnv: true,
    env: { PATH: bare, HOME: Deno.env.get("HOME") ?? "/", NO_COLOR: "1" },
  }).output();
  await Deno.remove(bare);
  const printed = new TextDecoder().decode(stdout);
  const result = resultOf(printed);
  assert.equal(result?.failed, 0, printed + new TextDecoder().decode(stderr));
  assert.ok(result!.skipped >= 15 && result!.passed >= 1, JSON.stringify(result));
});
