import { endChild } from "../process/end_child.ts";
import { sipTest } from "./sip_lab.ts";
import { eventually } from "../process/eventually.ts";

const KAMAILIO = Deno.env.get("KAMAILIO") ?? "/usr/sbin/kamailio";
const MODULES = Deno.env.get("KAMAILIO_MODULES") ?? "/usr/lib/x86_64-linux-gnu/kamailio/modules/";

const installed = await Deno.stat(KAMAILIO).then((file) => file.isFile, () => false);

/** A test with Kamailio as the proxy. Without one it is skipped, but fails where `CI` is set. */
export function kamailioTest(name: string, body: () => Promise<void>): void {
  if (installed || Deno.env.get("CI") !== undefined) return sipTest(name, body);
  Deno.test({ name: `${name} (skipped: no kamailio at ${KAMAILIO})`, ignore: true, fn: body });
}

export interface CarrierOptions {
  port: number;
  /** Port of its carrier network. */
  carrierPort: number;
  algorithm: "MD5" | "SHA-256";
}

/** Starts the carrier of `kamailio_trunk.cfg`; resolves when it takes connections. */
export const startCarrier = (
  { port, carrierPort, algorithm }: CarrierOptions,
): Promise<AsyncDisposable> =>
  startKamailio("kamailio_trunk.cfg", port, [
    `CARRIER_PORT=${carrierPort}`,
    `CARRIER="sip:127.0.0.1:${carrierPort}"`,
    `ALGORITHM="${algorithm}"`,
  ]);

/** Starts the proxy of `kamailio_edge.cfg`, in front of a registrar; resolves when it takes connections. */
export const startEdge = (
  { port, registrar, transport }: { port: number; registrar: number; transport: "udp" | "tcp" },
): Promise<AsyncDisposable> =>
  startKamailio("kamailio_edge.cfg", port, [
    `REGISTRAR="sip:127.0.0.1:${registrar};transport=${transport}"`,
  ]);

async function startKamailio(
  config: string,
  port: number,
  defined: string[],
): Promise<AsyncDisposable> {
  const child = new Deno.Command(KAMAILIO, {
    args: [
      "-f",
      new URL(config, import.meta.url).pathname,
      "-DD",
      "-E",
      "-m",
      "64",
      "-M",
      "8",
      ...[`PROXY_PORT=${port}`, `MODULES="${MODULES}"`, ...defined].flatMap((one) => ["-A", one]),
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await listens(port);
  return {
    [Symbol.asyncDispose]: () => endChild(child),
  };
}

async function listens(port: number): Promise<void> {
  const connection = await eventually(
    `port ${port} listens`,
    () => Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined),
  );
  connection.close();
}
