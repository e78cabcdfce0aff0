import assert from "node:assert/strict";
import { failedTests } from "../.ci/again.ts";

const script = new URL("../.ci/again.ts", import.meta.url).pathname;
const config = new URL("../deno.json", import.meta.url).pathname;

/** It fails unless it ran before. */
const flaky = 'takes "long" (a+b) => c/d ... | > $';

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

const again = (cwd: string, ...reports: string[]) =>
  deno(cwd, "run", "-A", `--config=${config}`, script, ...reports);

for (const mode of [[], ["--parallel"]]) {
  Deno.test(`the gate tries tests that failed once more, run ${mode.join() || "in turn"}`, async () => {
    const project = await Deno.makeTempDir();
    const task = { tasks: { test: "deno test -A" } };
    await Deno.writeTextFile(`${project}/deno.json`, JSON.stringify(task));
    await Deno.writeTextFile(`${project}/a_test.ts`, tests);
    await deno(project, "task", "test", "--no-check", "--junit-path=report.xml", ...mode);

    const file = "./a_test.ts";
    const failed = [{ file, name: flaky }, { file, name: `${flaky} always` }];
    assert.deepEqual(failedTests(await Deno.readTextFile(`${project}/report.xml`)), failed);
    assert.equal(await again(project, "report.xml"), `passed at the second try: ${flaky}\n`);
    await Deno.remove(project, { recursive: true });
  });
}

for (const between of [[], ["calls_cases.ts"], ["calls_cases.ts", "all_cases.ts"]]) {
  const through = between.length === 0 ? "" : `, imported through ${between.join(" and ")}`;
  Deno.test(`the gate finds the file of a test that a helper declares${through}`, async () => {
    const project = await Deno.makeTempDir();
    const task = { tasks: { test: "deno test -A" } };
    await Deno.writeTextFile(`${project}/deno.json`, JSON.stringify(task));
    await Deno.mkdir(`${project}/sip`);
    await Deno.writeTextFile(
      `${project}/lab.ts`,
      "export const lab = (name, fn) => Deno.test(name, fn);",
    );
    const imported = 'import { lab } from "../lab.ts";';
    let text = imported + tests.replaceAll("Deno.test(", "lab(");
    for (const name of between) {
      await Deno.writeTextFile(`${project}/sip/${name}`, text);
      text = `import "./${name}";`;
    }
    await Deno.writeTextFile(`${project}/sip/a_test.ts`, text);
    await Deno.writeTextFile(`${project}/sip/b_test.ts`, `${imported} lab("another", () => {});`);
    await deno(project, "task", "test", "--no-check", "--junit-path=report.xml");

    const report = await Deno.readTextFile(`${project}/report.xml`);
    assert.deepEqual(failedTests(report).map(({ file }) => file), ["./lab.ts", "./lab.ts"]);
    assert.equal(await again(project, "report.xml"), `passed at the second try: ${flaky}\n`);
    await Deno.remove(project, { recursive: true });
  });
}

Deno.test("the gate names a test that needed a second try and is not listed", async () => {
  const project = await Deno.makeTempDir();
  await Deno.writeTextFile(`${project}/deno.json`, '{"tasks":{"test":"deno test -A"}}');
  await Deno.writeTextFile(`${project}/a_test.ts`, tests);
  await deno(project, "task", "test", "--no-check", "--junit-path=report.xml");
  const complaint = `needed a second try, not listed in tests/second_tries.json: ${flaky}\n`;
  const complains = async () => {
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", `--config=${config}`, script, "report.xml"],
      cwd: project,
      env: { NO_COLOR: "1" },
    }).output();
    return new TextDecoder().decode(stderr).includes(complaint);
  };

  assert.equal(await complains(), true);
  await Deno.mkdir(`${project}/tests`);
  const listed = [{ name: flaky, since: "2026-01-01", cause: null }];
  await Deno.writeTextFile(`${project}/tests/second_tries.json`, JSON.stringify(listed));
  assert.equal(await complains(), false);
  await Deno.remove(project, { recursive: true });
});

Deno.test("the gate gives findings of the fuzzer no second try", async () => {
  const project = await Deno.makeTempDir();
  await Deno.writeTextFile(
    `${project}/deno.json`,
    JSON.stringify({ tasks: { test: "deno test -A" } }),
  );
  await Deno.mkdir(`${project}/tests/fuzz`, { recursive: true });
  await Deno.writeTextFile(`${project}/tests/fuzz/fuzz_test.ts`, tests);
  await deno(project, "task", "test", "--no-check", "--junit-path=report.xml");

  assert.equal(failedTests(await Deno.readTextFile(`${project}/report.xml`)).length, 2);
  assert.equal(await again(project, "report.xml"), "");
  await Deno.remove(project, { recursive: true });
});

const reportOf = (names: string[]) =>
  `<testsuites><testsuite name="./a_test.ts"><testcase name="b"></testcase>${
    names.map((name) => `<testcase name="${name}"><failure message="no">no</failure></testcase>`)
      .join("")
  }</testsuite></testsuites>`;

Deno.test("the gate tries nothing once more where more failed than a busy machine explains", async () => {
  const report = await Deno.makeTempFile();
  await Deno.writeTextFile(report, reportOf([..."cdefgh"]));
  assert.equal(failedTests(await Deno.readTextFile(report)).length, 6);
  assert.equal(await again(".", report), "");
  await Deno.remove(report);
});

Deno.test("failedTests() finds nothing in the report of a run that passed, or ran nothing", () => {
  assert.deepEqual(failedTests(reportOf([])), []);
  assert.deepEqual(failedTests("<testsuites></testsuites>"), []);
});
