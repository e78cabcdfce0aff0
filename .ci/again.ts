import { XMLParser } from "fast-xml-parser";

/**
 * Gives tests that failed a second try: `again.ts REPORT…` reads the runners' JUnit reports, runs each
 * test that failed in them once more, alone in a process of its own, and prints
 * `passed at the second try: NAME` for each that then passed. It tries nothing where more tests failed
 * than a busy machine explains, nor what the fuzzer found: its next seed would miss it. Errors outside of
 * tests are in no report, so they stay failures. What needs a second try is to be listed in
 * `tests/second_tries.json`: of a test that is not, it says so on stderr.
 */
interface Test {
  file: string;
  name: string;
}

interface TestCase {
  name: string;
  failure?: unknown;
}

interface TestSuite {
  name: string;
  testcase: TestCase[];
}

/** A test that may need a second try; a cause that is not known is null. */
interface KnownTest {
  name: string;
  since: string;
  cause: string | null;
}

const triesMax = 5;
/** How many tests may be listed. */
export const knownMax = 5;
const knownFile = "tests/second_tries.json";
const testFile = /_test\.ts$/;
const fuzzer = /(^|\/)tests\/fuzz\//;
const tryTimeoutMs = 180_000;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseAttributeValue: false,
  isArray: (name) => name === "testsuite" || name === "testcase",
});

/** The tests that failed by a runner's JUnit report; their steps are not listed. */
export function failedTests(report: string): Test[] {
  const suites: TestSuite[] = parser.parse(report).testsuites.testsuite ?? [];
  const failed = suites.flatMap(({ name: file, testcase }) =>
    testcase.filter(({ failure }) => failure !== undefined).map(({ name }) => ({ file, name }))
  );
  const isStep = ({ name }: Test) => failed.some((test) => name.startsWith(`${test.name} > `));
  return failed.filter((test) => !isStep(test));
}

/**
 * The files that may hold a test. A report names the file whose line calls `Deno.test()`: for a test
 * declared by a helper such as `sipTest()` that is the helper's file, which runs no test by itself. The
 * test files that import it, or import what imports it, do.
 */
async function filesOf({ file }: Test): Promise<string[]> {
  const texts = new Map<string, string>();
  for await (const path of filesBelow(".")) {
    if (path.endsWith(".ts")) texts.set(path, await Deno.readTextFile(path));
  }
  const reached = new Set([file]);
  for (const helper of reached) {
    if (testFile.test(helper)) continue;
    const imported = `/${helper.slice(helper.lastIndexOf("/") + 1)}"`;
    for (const [path, text] of texts) if (text.includes(imported)) reached.add(path);
  }
  return [...reached].filter((path) => testFile.test(path));
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (!isDirectory) yield path;
    else if (name !== "node_modules" && !name.startsWith(".")) yield* filesBelow(path);
  }
}

/** Whether a test passes now. Its output goes to stderr. */
async function passes(test: Test): Promise<boolean> {
  const { name } = test;
  const files = await filesOf(test);
  if (files.length === 0) return false;
  const filter = `/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$/`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "test", "--no-check", `--filter=${filter}`, ...files],
    stdin: "null",
    stderr: "inherit",
    signal: AbortSignal.timeout(tryTimeoutMs),
  }).output();
  await Deno.stderr.write(stdout);
  return /^ok \| [1-9]\d* passed \| 0 failed/m.test(new TextDecoder().decode(stdout));
}

/** The tests that are listed; none where there is no list. */
export async function readKnown(): Promise<KnownTest[]> {
  try {
    return JSON.parse(await Deno.readTextFile(knownFile));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

const print = (line: string, to = Deno.stdout) => to.write(new TextEncoder().encode(`${line}\n`));

if (import.meta.main) {
  const reports = await Promise.all(Deno.args.map((path) => Deno.readTextFile(path)));
  const tests = reports.flatMap(failedTests);
  const known = (await readKnown()).map(({ name }) => name);
  if (tests.length <= triesMax) {
    for (const test of tests.filter(({ file }) => !fuzzer.test(file))) {
      if (!await passes(test)) continue;
      await print(`passed at the second try: ${test.name}`);
      if (!known.includes(test.name)) {
        await print(`needed a second try, not listed in ${knownFile}: ${test.name}`, Deno.stderr);
      }
    }
  }
}
