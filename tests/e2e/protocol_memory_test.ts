import assert from "node:assert/strict";
import { freePorts, startSystem } from "../support/process/system.ts";

const bodyBytes = 16 << 20;
const mostMiB = 50;

const forged = () => `t=${Date.now()},n=${"0".repeat(32)},d=${"0".repeat(64)},v1=${"0".repeat(64)}`;
const former = () => `t=${Date.now()},v1=${"0".repeat(64)}`;

const heads: (() => string)[] = [
  () => "",
  () => `X-Switchboard-Bridge: ${forged()}\r\n`,
  () => `X-Switchboard-Bridge: ${former()}\r\n`,
];

/** Sends a request of 16 MiB without the secret, as far as it is taken, and gives its status. */
async function send(port: number, path: string, header: string): Promise<number> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}` +
    `Content-Length: ${bodyBytes}\r\n\r\n`;
  const answer = readStatus(connection);
  const chunk = new Uint8Array(64 << 10).fill(32);
  try {
    await connection.write(new TextEncoder().encode(head));
    for (let sent = 0; sent < bodyBytes;) sent += await connection.write(chunk);
  } catch {
    // The other side had answered, and closed.
  }
  return await answer;
}

async function readStatus(connection: Deno.Conn): Promise<number> {
  const buffer = new Uint8Array(1_024);
  const size = await connection.read(buffer).catch(() => null) ?? 0;
  return Number(
    /^HTTP\/1\.1 (\d{3})/.exec(new TextDecoder().decode(buffer.subarray(0, size)))?.[1],
  );
}

const memory = async (pid: number, name: "VmRSS" | "VmHWM"): Promise<number> => {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
};

Deno.test({
  name: "60 unauthenticated requests of 16 MiB cost service and companion at most 50 MiB each",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const [bridgePort] = freePorts(1) as [number];
    await using system = await startSystem({ env: { BRIDGE_PORT: String(bridgePort) } });
    const servicePort = Number(new URL(system.baseUrl).port);
    const [service, companion] = [system.pids("main.ts")[0]!, system.pids("sip/main.ts")[0]!];

    const targets = [
      { pid: service, port: servicePort, paths: ["/bridge/questions", "/bridge/heartbeat"] },
      { pid: service, port: servicePort, paths: ["/demo/menu/chosen"] },
      { pid: companion, port: bridgePort, paths: ["/run", "/runs", "/message"] },
    ];
    for (const { pid, port, paths } of targets) {
      const before = await memory(pid, "VmRSS");
      await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5"); // The peak begins anew.
      const sending = Array.from(
        { length: 60 },
        (_, at) => send(port, paths[at % paths.length]!, heads[at % heads.length]!()),
      );
      const statuses = await Promise.all(sending);
      const grownMiB = await memory(pid, "VmHWM") - before;

      assert.ok(grownMiB <= mostMiB, `${paths}: ${grownMiB.toFixed(0)} MiB`);
      if (!paths[0]!.startsWith("/demo")) {
        assert.ok(
          statuses.every((status) => status === 401 || Number.isNaN(status)),
          `${statuses}`,
        );
      }
    }
    await system.ready();
  },
});
