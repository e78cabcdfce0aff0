import { groupsOf, joinedFiles } from "../.ci/together.ts";

const root = new URL("../", import.meta.url);
/** A test has at most five minutes: a part that says nothing for longer stands still. */
const usualStandstillMs = 6 * 60_000;
const progressMs = 30_000;

/** Test files that one process of the runner runs. */
export interface Part {
  name: string;
  files: readonly string[];
  /** Number of files that run at once. */
  jobs: number;
  /** Niceness of the processes; 0 unless given. */
  nice?: number;
  /** Promise that must settle before it begins. */
  after?: Promise<unknown>;
  /** After how long without a word it is ended; after six minutes unless given. */
  standstillMs?: number;
}

/** Numbers of passed, failed and skipped tests. */
export interface Result {
  passed: number;
  failed: number;
  skipped: number;
}

/** The last line of a runner, such as `ok | 12 passed (3 steps) | 0 failed | 1 ignored (4s)`. */
const lastLine =
  /^(?:ok|FAILED) \| (\d+) passed[^|\n]*\| (\d+) failed[^|\n]*(?:\| (\d+) ignored)?/gm;
const testLine = / \.\.\. (?:[^\n]* )?(ok|FAILED|ignored)\b/;

/** Result in a runner's last line; null if it ended without one. */
export function resultOf(printed: string): Result | null {
  const [, passed, failed, skipped = "0"] = [...printed.matchAll(lastLine)].at(-1) ?? [];
  if (passed === undefined) return null;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** The arguments of Deno that all tests run with. */
export const testArgs: readonly string[] = [
  ...["test", "-A", "--config=tests/deno.json"],
  "--preload=tests/support/process/suppressed_errors.ts",
];

/** Prints a text. */
export type Say = (text: string) => Promise<unknown>;

/** Prints on standard output. */
export const say: Say = (text) => Deno.stdout.write(new TextEncoder().encode(text));

/** Writes the progress of all parts each half minute. */
function startProgress(write: Say) {
  const begin = performance.now();
  const counts = { ok: 0, FAILED: 0, ignored: 0 };
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begin) / 1_000);
    void write(`${seconds} s: ${counts.ok} passed, ${counts.FAILED} failed\n`);
  }, progressMs);
  return { counts, stop: () => clearInterval(timer) };
}

/** Puts files together that stay in their process; the others, and the files that were made. */
export async function together(files: readonly string[], folder: string): Promise<string[]> {
  const joined = new Set(await joinedFiles());
  const groups = groupsOf(files.filter((file) => joined.has(file)));
  for (const [name, within] of groups) {
    const imports = within.map((file) => `import ${JSON.stringify(new URL(file, root).href)};\n`);
    await Deno.writeTextFile(`${folder}/${name}`, imports.join(""));
  }
  return [
    ...files.filter((file) => !joined.has(file)),
    ...groups.map(([name]) => `${folder}/${name}`),
  ];
}

/**
 * Runs parts beside each other. The output of each is in a file of the folder, named as the part,
 * and its report in `NAME.xml`. A part that ends without a result, or stands still, has one failure
 * more.
 */
export async function runParts(
  parts: readonly Part[],
  folder: string,
  write: Say = say,
): Promise<Result> {
  const { counts, stop } = startProgress(write);
  const results = await Promise.all(parts.map(async (part) => {
    await part.after;
    return part.files.length === 0 ? [] : await runPart(part, folder, { counts, write });
  }));
  stop();
  const sum = (of: keyof Result) => results.flat().reduce((total, one) => total + one[of], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

async function runPart(
  { name, files, jobs, nice = 0, standstillMs = usualStandstillMs }: Part,
  folder: string,
  { counts, write }: { counts: Record<"ok" | "FAILED" | "ignored", number>; write: Say },
): Promise<Result[]> {
  const parallel = jobs > 1 ? ["--parallel"] : [];
  const report = [`--junit-path=${folder}/${name}.xml`];
  const child = new Deno.Command("nice", {
    args: [
      ...["-n", String(nice), Deno.execPath(), ...testArgs, "--no-check"],
      ...[...parallel, ...report, ...files],
    ],
    cwd: root,
    env: { DENO_JOBS: String(jobs), NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let printed = "";
  let last = "";
  const stood = Promise.withResolvers<void>();
  let isOver = false;
  const give = () => {
    isOver = true;
    printed += `\n${name} stood still, after: ${last}\n`;
    child.kill("SIGKILL");
    stood.resolve();
  };
  let timer = setTimeout(give, standstillMs);
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    let rest = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      if (isOver) return;
      clearTimeout(timer);
      timer = setTimeout(give, standstillMs);
      printed += text;
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const [, outcome] = testLine.exec(line) ?? [];
        if (outcome === undefined) continue;
        last = line;
        counts[outcome as keyof typeof counts]++;
        if (outcome === "FAILED") await write(`${line}\n`);
      }
    }
  };
  const output = Promise.all([collect(child.stdout), collect(child.stderr)]);
  // Processes that its tests started may outlive it, and hold its output open.
  await Promise.race([output, stood.promise]);
  const { success } = await child.status;
  clearTimeout(timer);
  await Deno.writeTextFile(`${folder}/${name}`, printed);
  const result = resultOf(printed);
  if (!success || result === null) await write(complaintsOf(name, printed));
  const isBroken = result === null || !success && result.failed === 0;
  return [...result === null ? [] : [result], ...isBroken ? [oneFailure] : []];
}

const oneFailure: Result = { passed: 0, failed: 1, skipped: 0 };

/** The errors of a part as its runner prints them at the end; all that it printed where it has none. */
function complaintsOf(name: string, printed: string): string {
  const at = printed.lastIndexOf("\n ERRORS \n");
  return `\n${name}:\n${at < 0 ? printed : printed.slice(at)}\n`;
}
