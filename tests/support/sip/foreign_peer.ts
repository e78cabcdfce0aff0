import { endChild } from "../process/end_child.ts";

/** A WebRTC peer that we did not write, in a process of its own. */
export interface ForeignPeer {
  /** Its session description: its offer, or its answer to the one that it was given. */
  described(): Promise<string>;
  /** Gives it the other side's description. */
  give(sdp: string): Promise<void>;
  /** Resolves when it received its tone for a quarter of a second, with the amplitude. */
  hears(): Promise<number>;
  /** Resolves when the state of its connection is the one given. */
  reaches(state: string): Promise<void>;
  /** Ends it as by itself: it closes its connection. */
  close(): Promise<void>;
}

export interface ForeignPeerOptions {
  offers: boolean;
  /** Tone that it sends, and the one that it listens for. */
  saysHz: number;
  hearsHz: number;
}

/** An implementation, and why its tests are skipped; empty where they are not. */
export interface ForeignKind {
  name: string;
  skipped: string;
  start(options: ForeignPeerOptions): ForeignPeer;
}

const cache = Deno.env.get("SWITCHBOARD_PEERS") ??
  `${Deno.env.get("HOME") ?? "/root"}/.cache/switchboard-peers`;
const here = new URL("../peers/", import.meta.url).pathname;

const isFile = (path: string) => Deno.stat(path).then((file) => file.isFile, () => false);

/** Under `CI` a peer that is not installed fails its tests. */
async function kind(name: string, program: string, args: string[] = []): Promise<ForeignKind> {
  const isThere = await isFile(program) || Deno.env.get("CI") !== undefined;
  return {
    name,
    skipped: isThere ? "" : ` (skipped: no ${program})`,
    start: (options) => start(program, args, options),
  };
}

/** Peers that `.ci/peers` installs. */
export const foreignKinds: ForeignKind[] = [
  await kind("pion", `${cache}/pion`),
  await kind("aiortc", `${cache}/aiortc/bin/python`, [`${here}aiortc/peer.py`]),
];

interface Line {
  sdp?: string;
  state?: string;
  hears?: number;
  amplitude?: number;
}

/** Amplitude from which a tone counts as received; silence and noise have far less. */
const HEARD = 2_000;

function start(
  program: string,
  args: string[],
  { offers, saysHz, hearsHz }: ForeignPeerOptions,
): ForeignPeer {
  const child = new Deno.Command(program, {
    args: [...args, offers ? "offer" : "answer", `${saysHz}`, `${hearsHz}`],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  const lines = linesOf(child.stdout);
  /** The next line of a kind; those before it are of no use any more. */
  const next = async <T>(read: (line: Line) => T | undefined): Promise<T> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} ended`);
      const found = read(JSON.parse(value));
      if (found !== undefined) return found;
    }
  };
  return {
    described: () => next(({ sdp }) => sdp),
    give: (sdp) => writer.write(new TextEncoder().encode(`${JSON.stringify({ sdp })}\n`)),
    hears: () => next(({ amplitude = 0 }) => amplitude > HEARD ? amplitude : undefined),
    reaches: (state) => next((line) => line.state === state || undefined).then(() => {}),
    async close() {
      await writer.close().catch(() => {});
      while (!(await lines.next()).done);
      await endChild(child);
    },
  };
}

async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
