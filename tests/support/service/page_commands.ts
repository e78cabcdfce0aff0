import type { AppServer } from "./app_server.ts";

const repository = new URL("../../../", import.meta.url);

/** The text of a page of the documentation. */
export const pageText = (page: string): Promise<string> =>
  Deno.readTextFile(new URL(page, repository));

/** The block of a page that starts the service, and what it sets. */
const startCommand = /deno(?:@[\d.]+)? task (?:start|dev)\b/;

/** The blocks of shell commands, without the indentation of lists. */
const shellBlocks = (text: string): string[] =>
  [...text.matchAll(/^( *)```sh\n([^]*?)^ *```/gm)].map(([, indent, block]) =>
    block!.replaceAll(new RegExp(`^${indent}`, "gm"), "")
  );

/** The variables that a page starts the service with, as they stand there. */
export async function pageSettings(page: string): Promise<Record<string, string>> {
  const block = shellBlocks(await pageText(page)).find((block) => startCommand.test(block));
  if (block === undefined) throw new Error(`${page} does not start the service`);
  const pairs = [...block.matchAll(/\b([A-Z][A-Z0-9_]*)=(\S+)/g)];
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, value!]));
}

/** Serves the markup that a page shows after "Answer `PATH` with". */
export async function servePageMarkup(page: string, app: AppServer): Promise<void> {
  const shown = [...(await pageText(page)).matchAll(
    /Answer\s+`(\/[\w-]+)`\s+with[^`]*?:\n+```xml\n([^]*?)```/g,
  )];
  if (shown.length === 0) throw new Error(`${page} shows no markup`);
  for (const [, path, markup] of shown) app.pages.set(path!, markup!);
}

/** The shell commands of a page, in one shell, as they stand there but for addresses. */
export interface PageCommands extends AsyncDisposable {
  /** Working directory of the commands. */
  readonly directory: string;
  /** Runs the next block that does not start a program; resolves with what it printed. */
  next(): Promise<string>;
  /** Throws where blocks are left. */
  done(): void;
}

export interface PageCommandOptions {
  system: { baseUrl: string; accountSid: string; authToken: string };
  /** In place of the application server of the page, `http://127.0.0.1:3000`. */
  app?: Pick<AppServer, "url">;
  /** Other values for variables that a page sets, such as the address of a carrier. */
  given?: Record<string, string>;
}

/** Opens a shell in a folder with the files that the page says to save. */
export async function openPageCommands(
  page: string,
  options: PageCommandOptions,
): Promise<PageCommands> {
  const { system } = options;
  const text = await pageText(page);
  const left = shellBlocks(text).filter((block) => !startCommand.test(block) && !isProgram(block));
  const directory = await Deno.makeTempDir();
  for (const [, name, code] of text.matchAll(/Save this as\s+`([\w.]+)`[^]*?```\w+\n([^]*?)```/g)) {
    await Deno.writeTextFile(`${directory}/${name}`, code!);
  }
  const shell = openShell(directory, {
    ACCOUNT_SID: system.accountSid,
    AUTH_TOKEN: system.authToken,
    BASE_URL: system.baseUrl,
    API: `${system.baseUrl}/2012-04-24/Accounts/${system.accountSid}`,
  });
  const run = async (block: string) => {
    const { printed, isDone } = await shell.run(placed(block, options));
    if (!isDone) throw new Error(`${page}: cannot run\n${block}\n${printed}`);
    return printed;
  };
  return {
    directory,
    async next() {
      const block = left.shift();
      if (block === undefined) throw new Error(`${page} has no further commands`);
      return await run(block);
    },
    done() {
      if (left.length > 0) throw new Error(`${page}: not run\n${left.join("\n")}`);
    },
    async [Symbol.asyncDispose]() {
      await shell.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Blocks that install packages or start something else that goes on. */
const isProgram = (block: string) => /^(?:npm|pip) install|^node |deno task numbers/m.test(block);

/** A block with the addresses and values of this test. */
function placed(
  block: string,
  { system, app, given = {} }: PageCommandOptions,
): string {
  let text = block.replaceAll("http://127.0.0.1:8080", system.baseUrl);
  if (app !== undefined) text = text.replaceAll("http://127.0.0.1:3000", app.url);
  for (const [name, value] of Object.entries(given)) {
    text = text.replaceAll(new RegExp(`^(${name})=\\S+`, "gm"), `$1=${value}`);
  }
  return text;
}

/** Makes HTTP errors failures, and says nothing of progress. */
const prelude = `set -eo pipefail
exec 2>&1
curl() { command curl --silent --show-error --fail-with-body "$@"; }
`;

function openShell(cwd: string, env: Record<string, string>) {
  const child = new Deno.Command("bash", { cwd, env, stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const encoder = new TextEncoder();
  const end = `end-${crypto.randomUUID()}`;
  let commands = prelude;
  return {
    async run(block: string): Promise<{ printed: string; isDone: boolean }> {
      await writer.write(encoder.encode(`${commands}${block}\nprintf '%s' ${end}\n`));
      commands = "";
      let printed = "";
      while (!printed.endsWith(end)) {
        const { done, value } = await reader.read();
        if (done) return { printed, isDone: false };
        printed += value;
      }
      return { printed: printed.slice(0, -end.length), isDone: true };
    },
    async close(): Promise<void> {
      await writer.close().catch(() => {}); // It ended with a command that failed.
      for (;;) if ((await reader.read()).done) break;
      await child.status;
    },
  };
}
