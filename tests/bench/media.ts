import type { Law } from "../../sip/media/codecs/g711.ts";
import { keptAwake } from "./awake.ts";
import type { Mode } from "./media_engine.ts";
import { clickDelays } from "./media_delay.ts";
import { type Lines, plainLines, startLoad, type Timing, webrtcLines } from "./media_peers.ts";
import { embedded } from "./media_servers.ts";
import { pinTo, stolenSeconds } from "./process_cpu.ts";

/**
 * `deno task bench:media`: CPU of the media engine for each leg of G.711 in packets of 20 ms, and how
 * late its packets come to the peers' sockets. The engine is alone on the first core; the peers share
 * the second one with all else. LEGS are the numbers of legs (default "50,100"), SECONDS the time of
 * each figure (default 10), ONLY a word that rows must have. BUSY has the engine's main thread parse
 * SIP for so many ms of each 100; with WORKER=0 the engine is in that thread. RTP_FFI=true lets it call
 * the C library. At the end comes the delay from mouth to ear that the engine adds, with two legs and
 * nothing beside.
 */

const legs = (Deno.env.get("LEGS") ?? "50,100").split(",").map(Number);
const seconds = Number(Deno.env.get("SECONDS") ?? 10);
const only = Deno.env.get("ONLY") ?? "";
/** V8 compiles anew for some ten seconds; calls go on for longer than that. */
const warmUpSeconds = 12;
const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

interface Row {
  name: string;
  connect: (laws: Law[]) => Promise<Lines>;
  mode: Mode;
  /** Of each second leg; the first ones have PCMU. */
  law: Law;
}

const modes: [string, Mode, Law][] = [
  ["play", "play", "PCMU"],
  ["record", "record", "PCMU"],
  ["play and record", "play and record", "PCMU"],
  ["join", "join", "PCMU"],
  ["join, transcoding", "join", "PCMA"],
  ["conference, all speak", "conference", "PCMU"],
  ["conference, two speak", "muted", "PCMU"],
];

const rows: Row[] = [
  ...([["RTP", plainLines], ["WebRTC", webrtcLines]] as const).flatMap(([kind, connect]) =>
    modes.map(([name, mode, law]): Row => ({
      name: `${kind}: ${name}`,
      connect,
      mode,
      law,
    }))
  ),
];

interface Figure {
  /** Of one core, for each leg. */
  cpuPercent: number;
  /** Share of both cores that the hypervisor gave to others; packets due meanwhile were late. */
  stolenPercent: number;
  timing: Timing;
}

const pause = (s: number) => new Promise((resolve) => setTimeout(resolve, s * 1000));

async function measure(row: Row, count: number): Promise<Figure> {
  const laws = Array.from({ length: count }, (_, i): Law => i % 2 === 0 ? "PCMU" : row.law);
  await using server = embedded();
  const { lines, close } = await row.connect(laws);
  try {
    const answers = await server.open(lines.map(({ offer }) => offer));
    await Promise.all(lines.map((line, i) => line.accept(answers[i]!)));
    await server.perform(row.mode);
    const load = startLoad(lines, laws);
    try {
      await pause(warmUpSeconds);
      const [usedS, stolenS, startedAt] = [server.cpuS(), stolenSeconds(), performance.now()];
      load.measure(row.mode === "join");
      await pause(seconds);
      const timing = load.timing();
      const elapsedS = (performance.now() - startedAt) / 1000;
      const cpuPercent = 100 * (server.cpuS() - usedS) / elapsedS / count;
      const stolenPercent = 100 * (stolenSeconds() - stolenS) / elapsedS / 2;
      await server.close();
      return { cpuPercent, stolenPercent, timing };
    } finally {
      load.stop();
    }
  } finally {
    await close();
  }
}

const share = (part: number, all: number) => `${(100 * part / Math.max(1, all)).toFixed(2)} %`;

const line = (name: string, ...cells: (string | number)[]) =>
  log(name.padEnd(42) + cells.map((cell) => String(cell).padStart(13)).join(""));

const awake = keptAwake();
log(`${awake.loops} busy loops at priority 19 beside it`);
await pinTo(1);
line(
  "",
  "legs",
  "% of a core",
  "legs a core",
  "> 5 ms late",
  "> 20 ms late",
  "missing",
  "stolen",
);
line("", "", "for a leg", "(reckoned)");
for (const row of rows.filter(({ name }) => name.includes(only))) {
  for (const count of legs) {
    const { cpuPercent, stolenPercent, timing } = await measure(row, count);
    const { expected, received, over5Ms, over20Ms } = timing;
    line(
      row.name,
      count,
      cpuPercent.toFixed(3),
      Math.floor(100 / cpuPercent),
      share(over5Ms, received),
      share(over20Ms, received),
      share(Math.max(0, expected - received), expected),
      `${stolenPercent.toFixed(2)} %`,
    );
  }
}
const delayRows = [
  ["RTP: delay of a join", plainLines, "join"],
  ["RTP: delay of samples", plainLines, "decode"],
  ["WebRTC: delay of a join", webrtcLines, "join"],
  ["WebRTC: delay of samples", webrtcLines, "decode"],
] as const;

async function measureDelay(connect: Row["connect"], mode: Mode): Promise<number[]> {
  await using server = embedded();
  const { lines, close } = await connect(["PCMU", "PCMU"]);
  try {
    const answers = await server.open(lines.map(({ offer }) => offer));
    await Promise.all(lines.map((line, i) => line.accept(answers[i]!)));
    await server.perform(mode);
    return await clickDelays(lines[0]!, lines[1]!, 2 * seconds);
  } finally {
    await close();
  }
}

const chosen = delayRows.filter(([name]) => name.includes(only));
if (chosen.length > 0) line("", "median ms", "most ms", "first ms");
for (const [name, connect, mode] of chosen) {
  const delays = await measureDelay(connect, mode);
  const sorted = delays.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  line(name, median.toFixed(1), sorted.at(-1)!.toFixed(1), delays[0]!.toFixed(1));
}
await awake[Symbol.asyncDispose]();
Deno.exit();
