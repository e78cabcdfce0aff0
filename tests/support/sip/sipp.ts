import { sipTest } from "./sip_lab.ts";

const SIPP = Deno.env.get("SIPP") ?? "/usr/bin/sipp";

/** Lost messages are sent again after seconds. */
const patienceMs = 120_000;

const installed = await Deno.stat(SIPP).then((file) => file.isFile, () => false);

/** A test with sipp as the peer. Without one it is skipped, but fails where `CI` is set. */
export function sippTest(name: string, body: () => Promise<void>): void {
  if (installed || Deno.env.get("CI") !== undefined) return sipTest(name, body, patienceMs);
  Deno.test({ name: `${name} (skipped: no sipp at ${SIPP})`, ignore: true, fn: body });
}

/** Runs a scenario against an address; resolves with its exit code, 0 when every call went well. */
export async function runSipp(
  scenario: string,
  { host, port }: { host: string; port: number },
  ...options: string[]
): Promise<number> {
  const directory = await Deno.makeTempDir();
  try {
    const file = `${directory}/scenario.xml`;
    await Deno.writeTextFile(file, scenario);
    const { code } = await new Deno.Command(SIPP, {
      args: [`${host}:${port}`, "-sf", file, "-i", "127.0.0.1", "-nostdin", ...options],
      cwd: directory,
      stdout: "null",
      stderr: "null",
    }).output();
    return code;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
