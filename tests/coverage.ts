import { fastFiles } from "./fast.ts";

/**
 * `deno task coverage` runs the tests of `test:fast` and writes `docs/coverage.md`: how many lines and
 * branches of each folder of the product they ran. `deno task coverage FOLDER` reads what an earlier run
 * left in a folder, as `deno task test:fast --coverage=FOLDER --coverage-raw-data-only` does.
 */
const root = new URL("../", import.meta.url);
const top = ["core", "kv", "routes", "sip"];

interface Sums {
  lines: number;
  linesRun: number;
  branches: number;
  branchesRun: number;
}

const nothing = (): Sums => ({ lines: 0, linesRun: 0, branches: 0, branchesRun: 0 });
const keys = { LF: "lines", LH: "linesRun", BRF: "branches", BRH: "branchesRun" } as const;

/** Sums of an LCOV report, by folder of the product. */
export function sumsOf(lcov: string): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  let current = nothing();
  for (const line of lcov.split("\n")) {
    const [key, value = ""] = line.split(":");
    if (key === "SF") current = sumsAt(sums, value);
    else if (key! in keys) current[keys[key as keyof typeof keys]] += Number(value);
  }
  return sums;
}

function sumsAt(sums: Map<string, Sums>, file: string): Sums {
  const folder = file.replace(root.pathname, "").split("/").slice(0, -1).join("/");
  if (!top.includes(folder.split("/")[0]!)) return nothing();
  if (!sums.has(folder)) sums.set(folder, nothing());
  return sums.get(folder)!;
}

const share = (part: number, whole: number) =>
  whole === 0 ? "–" : `${(part / whole * 100).toFixed(1)} %`;

const row = (folder: string, { lines, linesRun, branches, branchesRun }: Sums) =>
  `| ${folder} | ${lines} | ${share(linesRun, lines)} | ${branches} | ${
    share(branchesRun, branches)
  } |`;

function total(all: Iterable<Sums>): Sums {
  const sum = nothing();
  for (const one of all) for (const key of Object.values(keys)) sum[key] += one[key];
  return sum;
}

/** The page that is written. */
export function pageOf(sums: Map<string, Sums>, { date, files }: { date: string; files: number }) {
  const rows = [...sums].sort(([a], [b]) => a < b ? -1 : 1).map((entry) => row(...entry));
  return `# Coverage

\`deno task coverage\` wrote this page on ${date}, from one run of the ${files} test files of
\`deno task test:fast\`: those that start no process, no browser and no companion. What the tests of calls,
of media with peers and of whole systems run is not counted, so folders of \`sip/\` show less than
\`deno task test\` runs. Files that no test loaded, or that were
changed during the run, are not in the sums.

| Folder | Lines | Lines run | Branches | Branches run |
|---|---|---|---|---|
${rows.join("\n")}
${row("**all**", total(sums.values()))}
`;
}

async function deno(...args: string[]): Promise<string> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot run deno ${args[0]}: its output says why`);
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  const folder = Deno.args[0] ?? await Deno.makeTempDir();
  if (Deno.args.length === 0) {
    await deno("task", "test:fast", `--coverage=${folder}`, "--coverage-raw-data-only");
  }
  const lcov = await deno("coverage", "--lcov", folder);
  const date = new Date().toISOString().slice(0, 10);
  const page = pageOf(sumsOf(lcov), { date, files: (await fastFiles()).length });
  await Deno.writeTextFile(new URL("docs/coverage.md", root), page);
}
