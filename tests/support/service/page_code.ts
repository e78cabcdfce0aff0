import { eventually } from "../process/eventually.ts";

/** The program that a page of the documentation shows after the words "Save this as `NAME`". */
export async function pageCode(page: string, name: string): Promise<string> {
  const text = await Deno.readTextFile(new URL(`../../../${page}`, import.meta.url));
  const after = text.split(`Save this as \`${name}\``)[1];
  const code = after && /```\w+\n([^]*?)```/.exec(after)?.[1];
  if (!code) throw new Error(`${page} shows no ${name}`);
  return code;
}

/** A running program of a page. */
export interface PageProgram extends AsyncDisposable {
  readonly port: number;
  /** The whole lines that it printed so far. */
  lines(): string[];
  /** Resolves with the first line of its output that has this text. */
  line(text: string): Promise<string>;
}

const repository = new URL("../../../", import.meta.url).pathname;

export interface PageProgramOptions {
  /** Does to the program what the page says to do later. */
  changed?: (code: string) => string;
  /** Command that runs it. */
  command?: string[];
}

/** Runs a program as a page shows it, with a free port in `PORT`; resolves when it listens. */
export async function runPageProgram(
  page: string,
  name: string,
  env: Record<string, string> = {},
  { changed = (code) => code, command = commandOf(name) }: PageProgramOptions = {},
): Promise<PageProgram> {
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${directory}/${name}`, changed(await pageCode(page, name)));
  await Deno.symlink(`${repository}node_modules`, `${directory}/node_modules`);
  const program = await runProgram(directory, name, env, command).catch(async (error) => {
    await Deno.remove(directory, { recursive: true });
    throw error;
  });
  return {
    ...program,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Command that runs a program on the packages of the product. */
const commandOf = (name: string): string[] => [name.endsWith(".py") ? "python3" : "node"];

/** Command that runs a program for Node on the packages of the tests, npm `twilio` among them. */
export const nodeOfTests: string[] = [
  Deno.execPath(),
  ...["run", "--no-prompt", "--allow-env", "--allow-net", "--allow-read", "--allow-sys"],
  `--config=${repository}tests/deno.json`,
];

/** Runs a program of a folder, with a free port in `PORT`; resolves when it listens. */
export async function runProgram(
  directory: string,
  name: string,
  env: Record<string, string> = {},
  command = commandOf(name),
): Promise<PageProgram> {
  const port = Number(env.PORT) || freePort();
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, {
    args: [...args, name],
    cwd: directory,
    env: { ...env, PORT: String(port) },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  const wake = new Set<() => void>();
  const read = child.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(text) {
        output += text;
        for (const check of wake) check();
      },
    }),
  );
  const ended = child.status.then(({ code }) => {
    throw new Error(`${name} ended with ${code}`);
  });
  ended.catch(() => {}); // It ends when it is disposed of.
  await Promise.race([ended, listening(port)]);
  const lines = () => output.split("\n").slice(0, -1);
  return {
    port,
    lines,
    line(text) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const check = () => {
        const found = lines().find((line) => line.includes(text));
        if (found !== undefined) resolve(found);
      };
      wake.add(check);
      check();
      return Promise.race([promise, ended]);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await read;
    },
  };
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

async function listening(port: number): Promise<void> {
  await eventually(`port ${port} is listened on`, async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch {
      return false;
    }
  });
}
