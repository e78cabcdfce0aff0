import { askNg, type NgAddress } from "../../../sip/media/transports/ng.ts";
import { endChild } from "../process/end_child.ts";
import { randomPort } from "../process/system.ts";

/** The program; `RTPENGINE_PROGRAM` names another. */
const RTPENGINE = Deno.env.get("RTPENGINE_PROGRAM") ?? "rtpengine";

/** Whether rtpengine can be run. */
export async function hasRtpengine(): Promise<boolean> {
  try {
    const command = new Deno.Command(RTPENGINE, { args: ["--version"], stdout: "null" });
    return (await command.output()).success;
  } catch {
    return false;
  }
}

/** Why tests with rtpengine are skipped; empty where they are not: they fail in CI without it. */
export const rtpengineSkipped = await hasRtpengine() || Deno.env.get("CI") !== undefined
  ? ""
  : ` (skipped: no ${RTPENGINE})`;

export interface Rtpengine extends AsyncDisposable {
  /** Where it takes orders. */
  readonly address: NgAddress;
  readonly pid: number;
  /** Kills it; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface RtpengineOptions {
  /** Where it takes orders; any free port unless given. */
  port?: number;
  /** What runs it, such as taskset. */
  before?: string[];
}

/** Starts rtpengine on the loopback, without its kernel module; resolves when it takes orders. */
export async function startRtpengine(
  { port = freeUdpPort(), before = [] }: RtpengineOptions = {},
): Promise<Rtpengine> {
  const [program = "", ...args] = [
    ...before,
    RTPENGINE,
    ...["--config-file=none", "--foreground", "--table=-1"],
    ...["--interface=127.0.0.1", `--listen-ng=127.0.0.1:${port}`],
    ...["--port-min=30000", "--port-max=39999", "--log-level=1", "--log-stderr"],
  ];
  const child = new Deno.Command(program, {
    args,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const address = { host: "127.0.0.1", port };
  const kill = () => endChild(child, "SIGKILL");
  const server = { address, pid: child.pid, kill, [Symbol.asyncDispose]: kill };
  try {
    await ready(address);
    return server;
  } catch (cause) {
    await kill();
    throw cause;
  }
}

/** Resolves when it answers; a busy machine takes its time to start it. */
async function ready(address: NgAddress): Promise<void> {
  for (let tries = 1; tries < 40; tries++) {
    if (await askNg(address, "ping").then(() => true, () => false)) return;
  }
  await askNg(address, "ping");
}

/** A UDP port of the loopback that nobody has. */
export function freeUdpPort(): number {
  for (;;) {
    const port = randomPort();
    try {
      Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
