/**
 * `deno task test:reach` runs the tests whose imports reach a change since main (or since the
 * commit given), and a smoke test of each process. It is for work in between, and ends as `deno
 * task test` does.
 *
 * Whole systems are started by their command lines, so no import leads from their tests to the product.
 * Those tests run where what was changed is theirs; the gate runs them all.
 */
import { allTestFiles, closureOf } from "./imports.ts";
import { runParts, say, together } from "./run.ts";

const root = new URL("../", import.meta.url);

/** Tests that look at the whole tree, and start nothing. */
const ofTheTree = [
  ...["architecture", "contract", "dependencies", "docs", "expressions", "golden", "readme"],
  "routes/docs",
]
  .map((name) => `tests/${name}_test.ts`);

/** Service and companion with the speech process, the supervisor, and the companion by itself. */
const smoke = [
  "tests/e2e/sending_test.ts",
  "tests/e2e/closing_test.ts",
  "tests/sip/companion_test.ts",
];

/** Folders and files of whole systems, peers and fuzzers. */
const systems = /^tests\/(e2e|nat|soak|fuzz|sip\/interop|native_test)\b/;

async function git(...args: string[]): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command("git", { args, cwd: root }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`git ${args.join(" ")}: ${text.decode(stderr)}`);
  return text.decode(stdout).split("\n").filter(Boolean);
}

/** The files that differ from a commit, those that are not under version control yet among them. */
export async function changedSince(commit: string): Promise<string[]> {
  const [base] = await git("merge-base", commit, "HEAD");
  const changed = await git("diff", "--name-only", base!);
  return [...changed, ...await git("ls-files", "--others", "--exclude-standard")];
}

/** The test files that a change of these files meets, with the smoke tests. */
export async function filesReached(changed: readonly string[]): Promise<string[]> {
  const ofTests = changed.filter((file) => file.startsWith("tests/"));
  const reached = new Set([...smoke, ...ofTheTree]);
  for (const file of await allTestFiles()) {
    const closure = await closureOf(file);
    const meets = systems.test(file) ? ofTests : changed;
    if (meets.some((one) => closure.has(one))) reached.add(file);
  }
  return [...reached].sort();
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir({ prefix: "switchboard-tests-" });
  const files = await filesReached(await changedSince(Deno.args[0] ?? "main"));
  const parts = [{ name: "reached", files: await together(files, folder), jobs: 4 }];
  const { passed, failed, skipped } = await runParts(parts, folder);
  await Deno.remove(folder, { recursive: true });
  await say(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  Deno.exit(failed === 0 ? 0 : 1);
}
