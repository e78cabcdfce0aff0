import assert from "node:assert/strict";
import { plainSocket } from "../support/sip/plain_peer.ts";
import { cannotStartCode, supervisedVariable } from "../../core/machine/process/process.ts";

const root = new URL("../../", import.meta.url);

/** Runs Deno here until it ends; its exit code, and all that it printed. */
async function run(args: string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: { NO_COLOR: "1", ...env },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, output: text(stdout) + text(stderr) };
}

Deno.test("a companion whose port of media is taken ends and says so", async () => {
  const directory = await Deno.makeTempDir();
  const taken = await plainSocket();
  try {
    await Deno.writeTextFile(`${directory}/bridge_secret`, "s".repeat(43));
    const { code, output } = await run(
      [
        "run",
        "--quiet",
        "--no-prompt",
        "--allow-env",
        "--allow-read",
        "--allow-net",
        "sip/main.ts",
      ],
      { DATA_DIR: directory, SIP_HOST: "127.0.0.1", MEDIA_PORT: String(taken.port) },
    );
    assert.equal(code, 1);
    assert.match(
      output,
      /^Cannot start the media Worker: Cannot listen on .* \(MEDIA_PORT\): .*\n$/,
    );
  } finally {
    await taken.close();
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("fail() writes one line, and reports the failed start to the supervisor", async () => {
  const script = `
    import { fail } from "./core/machine/process/process.ts";
    fail(new Error("Cannot start:\\nno"));
  `;
  const ends = [
    await run(["eval", script]),
    await run(["eval", script], { [supervisedVariable]: "1" }),
  ];
  assert.deepEqual(
    ends,
    [1, cannotStartCode].map((code) => ({ code, output: "Cannot start: no\n" })),
  );
});

Deno.test("stopOnSignal() stops for a failure too, and exits 1", async () => {
  const script = `
    import { say, stopOnSignal } from "./core/machine/process/process.ts";
    const onFailure = stopOnSignal(async () => say("stopped"), 5_000);
    onFailure();
    onFailure();
  `;
  const { code, output } = await run(["eval", script]);
  assert.deepEqual([code, output], [1, "stopped\n"]);
});
