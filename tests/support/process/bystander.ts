import assert from "node:assert/strict";
import { pcmFile } from "../media/wav_file.ts";
import { tone } from "../media/tone.ts";
import { type AppServer, startAppServer } from "../service/app_server.ts";
import { plainOffer, portOf } from "../sip/plain_peer.ts";
import type { PhoneDialog } from "../sip/softphone_dialog.ts";
import type { Heard, MediaOrder, MediaReport } from "./bystander_media.ts";
import { eventually } from "./eventually.ts";
import { cpuSeconds } from "./process_cpu.ts";
import type { System } from "./system.ts";
import { newTenant, type Tenant } from "./tenant.ts";

/**
 * A call of a tenant that does nothing wrong, and that must go on whatever others do:
 *
 *     await using system = await startSystem({ env: { RTP_PORTS: "0" } });
 *     await using bystander = await startBystander(system);
 *     const attacker = await newTenant(system, "attacker");
 *     const { cpu } = await bystander.goesOnWhile(() => attack(attacker));
 *
 * Its phone hears 50 packets a second of a sound that repeats without end. `goesOnWhile()` fails
 * when the call or a process ended, when less than half of the packets came, or when none came for
 * 2 s. The margin is wide, so that a busy machine alone is no failure.
 */
export interface Bystander extends AsyncDisposable {
  readonly tenant: Tenant;
  /** Does something to the system, then hears some seconds more of the call, and looks at all of it. */
  goesOnWhile<T>(disturb: () => Promise<T>, options?: WatchOptions): Promise<Watched<T>>;
}

export interface WatchOptions {
  /**
   * Seconds of audio that must come after the disturbance. A service ends the calls of a companion
   * that is silent for 15 s: a test of that needs 25.
   */
  afterS?: number;
}

export interface Watched<T> {
  result: T;
  heard: Heard;
  /** CPU seconds that the processes used from the beginning of the disturbance to its end. */
  cpu: { service: number; companion: number };
}

const packetsPerS = 50;
const leastShare = 0.5;
const mostGapMs = 2_000;

/** Lines of the log for calls that were ended, or are about to be. */
const ends = /Ending the calls of a companion|The media worker stopped|ended; starting it again/g;

/** Starts a bystander on a system of any settings that carries plain RTP (`RTP_PORTS`). */
export async function startBystander(system: System): Promise<Bystander> {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(startAppServer());
  const media = stack.adopt(await startMedia(), ({ stop }) => stop());
  const tenant = await newTenant(system, `bystander-${crypto.randomUUID().slice(0, 8)}`);
  const call = await beginCall({ app, media, tenant });
  await media.hears(packetsPerS);
  const kept = stack.move();

  const pids = () => [system.pids("main.ts"), system.pids("sip/main.ts")].flat();
  const atStart = pids();
  assert.equal(atStart.length, 2, `no service, or no companion: ${atStart}`);
  const [service, companion] = atStart as [number, number];
  const cpuNow = () => ({ service: cpuSeconds(service), companion: cpuSeconds(companion) });
  const faults = () => system.output().match(ends) ?? [];

  async function check({ packets, seconds, longestGapMs }: Heard, before: string[]) {
    const summary = `${packets} packets in ${seconds.toFixed(1)} s, ` +
      `the longest gap ${longestGapMs.toFixed(0)} ms`;
    assert.deepEqual(pids(), atStart, `a process ended: ${system.output().slice(-4_000)}`);
    assert.deepEqual(faults().slice(before.length), [], "the log says that calls were ended");
    assert.ok(!call.isOver(), `the bystander's call was ended: ${summary}`);
    const { status } = await tenant.get(`Calls/${call.sid}.json`);
    assert.equal(status, "in-progress", summary);
    assert.ok(packets >= seconds * packetsPerS * leastShare, `too few packets: ${summary}`);
    assert.ok(longestGapMs <= mostGapMs, `the audio stopped: ${summary}`);
  }

  return {
    tenant,
    async goesOnWhile(disturb, { afterS = 2 } = {}) {
      const [before, used] = [faults(), cpuNow()];
      media.count();
      const result = await disturb();
      const now = pids().join() === atStart.join() ? cpuNow() : used;
      const cpu = {
        service: now.service - used.service,
        companion: now.companion - used.companion,
      };
      // The checks of the received audio find fewer packets, or none.
      await media.hears(afterS * packetsPerS, (afterS + 10) * 1_000).catch(() => {});
      const heard = await media.read();
      await check(heard, before);
      return { result, heard, cpu };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

interface Beginning {
  app: AppServer;
  media: Media;
  tenant: Tenant;
}

/** Has a phone of the tenant hear a sound without end. */
async function beginCall({ app, media, tenant }: Beginning) {
  app.pages.set("/sound.wav", pcmFile(Int16Array.from(tone(440, 10))));
  app.pages.set("/voice", `<Response><Play loop="0">${app.url}/sound.wav</Play></Response>`);
  const login = `bystander${crypto.randomUUID().slice(0, 8)}`;
  const phone = await tenant.phone(login, `${app.url}/voice`);
  const dialog: PhoneDialog = await phone.call("sound", { sdp: plainOffer(media.port) }).answered;
  media.send({ to: portOf(dialog.remoteSdp) });
  let isOver = false;
  void dialog.ended.then(() => isOver = true);
  void phone.closed.then(() => isOver = true);
  const { sid }: { sid: string } = await eventually(
    "the bystander's call is in progress",
    async () => (await tenant.get("Calls.json?Status=in-progress")).calls[0],
  );
  return { sid, isOver: () => isOver };
}

interface Media {
  readonly port: number;
  send(order: MediaOrder): void;
  /** Begins to count anew. */
  count(): void;
  read(): Promise<Heard>;
  /** Resolves when so many packets more have come. */
  hears(packets: number, mostMs?: number): Promise<void>;
  stop(): void;
}

async function startMedia(): Promise<Media> {
  const worker = new Worker(new URL("bystander_media.ts", import.meta.url), { type: "module" });
  const reports: ((report: MediaReport) => void)[] = [];
  worker.onmessage = ({ data }: MessageEvent<MediaReport>) => reports.shift()?.(data);
  const next = () => new Promise<MediaReport>((resolve) => reports.push(resolve));
  const send = (order: MediaOrder) => worker.postMessage(order);
  const { port } = await next() as { port: number };
  const read = async () => {
    const report = next();
    send({ read: true });
    return await report as Heard;
  };
  return {
    port,
    send,
    count: () => send({ count: true }),
    read,
    async hears(packets, mostMs) {
      const { packets: before } = await read();
      await eventually(
        `${packets} packets of the bystander's call`,
        async () => (await read()).packets >= before + packets,
        mostMs,
      );
    },
    stop: () => worker.terminate(),
  };
}
