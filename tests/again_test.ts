import assert from "node:assert/strict";
import { failedTests } from "../.ci/again.ts";

const script = new URL("../.ci/again.ts", import.meta.url).pathname;

/** It fails unless it ran before. */
const flaky = 'takes "long" (a+b) => c/d ... | $';

const tests = `
Deno.test("passes", () => {});
Deno.test(${JSON.stringify(flaky)}, async () => {
  await Deno.readTextFile("tried").catch(async (error) => {
    await Deno.writeTextFile("tried", "");
    throw error;
  });
});
Deno.test(${JSON.stringify(`${flaky} always`)}, async (test) => {
  await test.step("first", () => {});
  await test.step("then", () => {
    throw new Error("no");
  });
});
`;

async function deno(cwd: string, ...args: string[]): Promise<string> {
  const env = { NO_COLOR: "1" };
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd, env }).output();
  return new TextDecoder().decode(stdout);
}

for (const mode of [[], ["--parallel"]]) {
  Deno.test(`the gate tries tests that failed once more, run ${mode.join() || "in turn"}`, async () => {
    const project = await Deno.makeTempDir();
    const task = { tasks: { test: "deno test -A" } };
    await Deno.writeTextFile(`${project}/deno.json`, JSON.stringify(task));
    await Deno.writeTextFile(`${project}/a_test.ts`, tests);
    const log = await deno(project, "task", "test", "--no-check", ...mode);
    await Deno.writeTextFile(`${project}/log`, log);

    const file = "./a_test.ts";
    const failed = [{ file, name: flaky }, { file, name: `${flaky} always` }];
    assert.deepEqual(failedTests(log), failed);
    const printed = await deno(project, "run", "-A", script, "log");
    assert.equal(printed, `passed at the second try: ${flaky}\n`);
    await Deno.remove(project, { recursive: true });
  });
}

const logOf = (names: string[], failed: number) =>
  names.map((name) => `./a_test.ts => ${name} ... FAILED (1ms)\n`).join("") +
  `\nFAILED | 9 passed | ${failed} failed (1s)\n`;

Deno.test("the gate tries nothing once more where more failed than a busy machine explains", async () => {
  const log = await Deno.makeTempFile();
  await Deno.writeTextFile(log, logOf([..."abcdef"], 6));
  assert.equal(failedTests(await Deno.readTextFile(log))?.length, 6);
  assert.equal(await deno(".", "run", "-A", script, log), "");
  await Deno.remove(log);
});

Deno.test("failedTests() knows that a log does not name all that failed, or has no end", () => {
  assert.deepEqual(failedTests("\nok | 9 passed | 0 failed (1s)\n"), []);
  assert.equal(failedTests(logOf(["a"], 2)), undefined);
  assert.equal(failedTests("./a_test.ts => a ... FAILED (1ms)\n"), undefined);
});
