import { eventually } from "./eventually.ts";
import { pageCode } from "../service/page_code.ts";

/** The `agent.ts` of a page, with the permissions that the page gives it; resolves when it listens. */
export async function startAgent(page: string, env: { PORT: string } & Record<string, string>) {
  const directory = await Deno.makeTempDir();
  const code = await pageCode(page, "agent.ts");
  if (code.split("\n").length > 81) throw new Error("It has more than 80 lines");
  await Deno.writeTextFile(`${directory}/agent.ts`, code);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--allow-net", "--allow-env", "agent.ts"],
    cwd: directory,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  await eventually(
    "the agent listens",
    () =>
      fetch(`http://127.0.0.1:${env.PORT}/`).then((response) =>
        response.body?.cancel().then(() => true)
      ).catch(() => false),
  );
  return {
    /** Resolves with the rest of the first line that begins with this. */
    async line(begin: string): Promise<string> {
      for (;;) {
        const found = output.split("\n").slice(0, -1).find((line) => line.startsWith(begin));
        if (found !== undefined) return found.slice(begin.length);
        const { value, done } = await lines.read();
        if (done) throw new Error(`The agent ended: ${output}`);
        output += value;
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await Promise.all([child.status, lines.cancel()]);
      await Deno.remove(directory, { recursive: true });
    },
  };
}
