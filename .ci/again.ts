/**
 * Gives tests that failed a second try: `again.ts LOG…` reads the runners' logs, runs each test that
 * failed in them once more, alone in a process of its own, and prints
 * `passed at the second try: NAME` for each that then passed. It tries nothing where more failed than
 * a busy machine explains, or where not all that failed has a name.
 */
interface Test {
  file: string;
  name: string;
}

const triesMax = 5;
const tryTimeoutMs = 180_000;

/** The tests that failed by a runner's log; undefined where it does not name all that it counts. */
export function failedTests(log: string): Test[] | undefined {
  const tests: Test[] = [];
  let running = "";
  for (const line of log.split("\n")) {
    running = /^running \d+ tests? from (\S+)$/.exec(line)?.[1] ?? running;
    // Runners that run several files at once name the file in each line.
    const [, file = running, name] =
      /^(?:(\.\/\S+) => )?(\S.*) \.\.\. FAILED(?: \(.*\))?$/.exec(line) ?? [];
    if (name !== undefined) tests.push({ file, name });
  }
  const isStep = ({ file, name }: Test) =>
    tests.some((test) => test.file === file && name.startsWith(`${test.name} ... `));
  const whole = tests.filter((test) => !isStep(test));
  const [, failed] = /^(?:ok|FAILED) \| \d+ passed.*? \| (\d+) failed/m.exec(log) ?? [];
  return whole.length === Number(failed) ? whole : undefined;
}

/** Whether a test passes now. What it prints goes to stderr. */
async function passes({ file, name }: Test): Promise<boolean> {
  const filter = `/^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$/`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "test", "--no-check", `--filter=${filter}`, file],
    stdin: "null",
    stderr: "inherit",
    signal: AbortSignal.timeout(tryTimeoutMs),
  }).output();
  await Deno.stderr.write(stdout);
  return /^ok \| [1-9]\d* passed \| 0 failed/m.test(new TextDecoder().decode(stdout));
}

const print = (line: string) => Deno.stdout.write(new TextEncoder().encode(`${line}\n`));

if (import.meta.main) {
  const logs = await Promise.all(Deno.args.map((path) => Deno.readTextFile(path)));
  const failed = logs.map(failedTests);
  const tests = failed.flatMap((some) => some ?? []);
  if (!failed.includes(undefined) && tests.length <= triesMax) {
    for (const test of tests) {
      if (await passes(test)) await print(`passed at the second try: ${test.name}`);
    }
  }
}
