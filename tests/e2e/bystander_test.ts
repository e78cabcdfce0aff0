import assert from "node:assert/strict";
import { startBystander } from "../support/process/bystander.ts";
import { cpuSeconds, threadCpuSeconds } from "../support/process/process_cpu.ts";
import { freePorts, startSystem } from "../support/process/system.ts";
import { newTenant } from "../support/process/tenant.ts";
import { dearFills, longInvite, usualFill } from "../support/sip/dear_invites.ts";
import { openRawWebSocket } from "../support/sip/raw_websocket.ts";
import { connectPeer, openUdpPeer } from "../support/sip/sip_peer.ts";

/**
 * Calls and registrations of tenants while an unauthenticated client sends the costliest messages.
 */

const transports = ["WS", "TCP", "UDP"] as const;
type Transport = typeof transports[number];

/** Messages of a connection that is not slowed down yet. */
const burst = 20;
/** CPU of dear messages, by that of usual ones of their size. */
const most = 10;
/** CPU seconds that are within the noise of a process that also has calls. */
const noiseS = 0.1;

/** An unauthenticated client, on a connection of its own. */
interface Stranger {
  /** Sends messages, and resolves when each was answered. */
  ask(texts: string[]): Promise<void>;
  close(): unknown;
}

async function webSocketStranger(url: string): Promise<Stranger> {
  const socket = await openRawWebSocket(url);
  return {
    async ask(texts) {
      const send = async () => {
        for (const text of texts) await socket.frame(text);
      };
      const answers = async () => {
        for (let left = texts.length; left > 0;) {
          const frame = await socket.read();
          assert.ok(frame, "the connection was closed");
          if (new TextDecoder().decode(frame.payload).startsWith("SIP/2.0 ")) left--;
        }
      };
      await Promise.all([send(), answers()]);
    },
    close: () => socket.close(),
  };
}

/** One message after the other: a datagram is lost where too many wait. */
async function peerStranger(transport: "TCP" | "UDP", port: number): Promise<Stranger> {
  const to = { host: "127.0.0.1", port };
  const peer = transport === "TCP" ? await connectPeer(to) : await openUdpPeer(to);
  return {
    async ask(texts) {
      for (const text of texts) {
        peer.send(text);
        await peer.next();
      }
    },
    close: () => peer.close(),
  };
}

Deno.test({
  name: "the costliest unauthenticated INVITEs cost little, and a bystander's call goes on",
  ignore: Deno.build.os !== "linux",
  timeout: 180_000,
  async fn() {
    const [tcp, udp] = freePorts(2) as [number, number];
    const env = { RTP_PORTS: "0", SIP_TCP_PORT: String(tcp), SIP_UDP_PORT: String(udp) };
    await using system = await startSystem({ env });
    const open: Record<Transport, () => Promise<Stranger>> = {
      WS: () => webSocketStranger(system.wsUrl),
      TCP: () => peerStranger("TCP", tcp),
      UDP: () => peerStranger("UDP", udp),
    };
    const [companion] = system.pids("sip/main.ts") as [number];
    const costOf = async (transport: Transport, fill: string): Promise<number> => {
      const stranger = await open[transport]();
      const before = cpuSeconds(companion);
      await stranger.ask(Array.from({ length: burst }, () => longInvite({ fill, transport })));
      await stranger.close();
      return cpuSeconds(companion) - before;
    };
    await using bystander = await startBystander(system);

    for (const transport of transports) {
      await costOf(transport, usualFill); // Compilation makes the first run slower.
      const { result: dear } = await bystander.goesOnWhile(async () => {
        const usual = await costOf(transport, usualFill);
        const found: string[] = [];
        for (const fill of dearFills) {
          const cost = await costOf(transport, fill);
          if (cost <= most * usual + noiseS) continue;
          found.push(`${JSON.stringify(fill)}: ${cost.toFixed(2)} s, not ${usual.toFixed(2)} s`);
        }
        return found;
      });
      assert.deepEqual(dear, [], transport);
    }

    // A registration of another tenant is not delayed either, whatever those clients send.
    const tenant = await newTenant(system, "other");
    const { result: waits } = await bystander.goesOnWhile(async () => {
      const strangers = await Promise.all(Array.from({ length: 7 }, open.WS));
      const flood = Promise.all(strangers.map((stranger, n) => {
        const fill = dearFills[n]!;
        return stranger.ask(
          Array.from({ length: burst }, () => longInvite({ fill, transport: "WS" })),
        );
      }));
      const waits: number[] = [];
      for (const login of ["one", "two", "three"]) {
        const before = threadCpuSeconds(companion);
        const phone = await tenant.phone(login);
        waits.push(threadCpuSeconds(companion) - before);
        await phone.close();
      }
      await flood;
      strangers.forEach(({ close }) => close());
      return waits;
    });
    assert.ok(waits.every((seconds) => seconds < 1), `CPU seconds before a registration: ${waits}`);
  },
});
