/**
 * `deno task test` runs all tests, and ends with `N passed, N failed, N skipped`. Tests that need
 * absent programs of others are skipped; under `CI` they fail. With `--install` those are installed
 * meanwhile by `.ci/install`. With arguments for the runner, such as files, `deno test` has those.
 *
 * Most tests wait, for calls, time-outs of the RFCs, processes that start. A test of `sip/` uses a
 * quarter of a core, one of `e2e/` without a browser an eighth, one with a browser more than half.
 * So the parts run beside each other, and take about as long:
 *
 * - `behind` computes, and yields to the others: tests within their process, the store, the fuzzer;
 * - `native` and `alone` run one file after the other: native code and the console in browsers; NATs, SIP
 *   programs of others, floods, and the other pages in browsers;
 * - `rest` is all else, three files at once: with four, tests of phones and browsers ran out of time.
 *
 * Tests have less of a core each; they wait for what they assert, so they do not fail for it. A failed test
 * is tried once more, alone, after all others (`.ci/again.ts`). Tests in a nightly run were refused: what
 * they find is found too late.
 */
import { joinedFiles } from "../.ci/together.ts";
import { allTestFiles } from "./imports.ts";
import { type Part, runParts, say, testArgs, together } from "./run.ts";

const root = new URL("../", import.meta.url);

const native = /^tests\/(native_test|e2e\/(console|designer)\w*_test)\.ts$/;
const alone = new RegExp(
  "^tests/(nat/|sip/interop/|e2e/(docs_pages|softphone_page\\w*|softphone_texts|descriptors)_test" +
    "|kv/lists/lists_of_a_moment_test)", // The bound of the last is half a second for a read.
);

/** All test files, each in one part. */
export async function partsOf(): Promise<Record<"behind" | "native" | "alone" | "rest", string[]>> {
  const joined = new Set(await joinedFiles());
  const partOf = (file: string) => {
    if (native.test(file)) return "native";
    if (joined.has(file)) return "behind";
    if (alone.test(file)) return "alone";
    return /^tests\/(fuzz|kv)\//.test(file) ? "behind" : "rest";
  };
  const parts = Map.groupBy(await allTestFiles(), partOf);
  const files = (name: ReturnType<typeof partOf>) => parts.get(name) ?? [];
  return {
    behind: files("behind"),
    native: files("native"),
    alone: files("alone"),
    rest: files("rest"),
  };
}

/** Installs what tests meet; resolves with true when all is there. */
async function install(): Promise<boolean> {
  const { success, stdout, stderr } = await new Deno.Command(".ci/install", {
    cwd: root,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (!success) await say(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  return success;
}

async function runAll(installs: boolean): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "switchboard-tests-" });
  const { behind, ...others } = await partsOf();
  const after = installs ? install() : Promise.resolve(true);
  const parts: Part[] = [
    { name: "behind", files: await together(behind, folder), jobs: 3, nice: 10 },
    { name: "native", files: others.native, jobs: 1, after },
    { name: "alone", files: others.alone, jobs: 1, after },
    { name: "rest", files: others.rest, jobs: 3, after },
  ];
  await say(`All tests run, for about a quarter of an hour; what they print is in ${folder}\n`);
  let { passed, failed, skipped } = await runParts(parts, folder);
  if (!await after) failed++;
  else if (failed > 0 && Deno.env.has("CI")) {
    const again = await secondTry(parts.map(({ name }) => `${folder}/${name}.xml`));
    passed += again;
    failed -= again;
  }
  if (skipped > 0) {
    await say(
      `${skipped} tests are skipped, as they start programs that are not installed here. ` +
        "As root on Debian, .ci/install installs them.\n",
    );
  }
  if (failed === 0) await Deno.remove(folder, { recursive: true });
  await say(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

/** Runs what failed once more, alone; resolves with how many tests then passed. */
async function secondTry(reports: string[]): Promise<number> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ".ci/again.ts", ...reports],
    cwd: root,
    stderr: "inherit",
  }).output();
  if (!success) return 0;
  const printed = new TextDecoder().decode(stdout);
  await say(printed);
  return printed.split("\n").filter(Boolean).length;
}

/** Runs the runner with arguments of its own. */
async function runThese(args: readonly string[]): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [...testArgs, ...args],
    cwd: root,
  }).spawn().status;
  return code;
}

if (import.meta.main) {
  const own = ["--install", "--no-check"];
  Deno.exit(
    Deno.args.every((arg) => own.includes(arg))
      ? await runAll(Deno.args.includes("--install"))
      : await runThese(Deno.args),
  );
}
