import { endOfStart } from "../process/process.ts";

/** Bytes of a process on their way to the terminal. */
type Output = ReadableStream<Uint8Array>;

/** Turn of a process to be shown: after those before it, until its own start is over. */
interface Turn {
  before: Promise<void>;
  started: PromiseWithResolvers<void>;
}

/**
 * Passes the standard output of processes on. The lines of their start are shown in the order of
 * `names`, however long each process takes; one that ends releases the next.
 */
export function createStartOutput<Name extends string>(
  names: readonly Name[],
  show: (bytes: Uint8Array) => void,
) {
  let isSilent = false;
  const write = (bytes: Uint8Array) => {
    if (!isSilent) show(bytes);
  };
  const turns = new Map<Name, Turn>();
  let before: Promise<void> = Promise.resolve();
  for (const name of names) {
    const started = Promise.withResolvers<void>();
    turns.set(name, { before, started });
    before = before.then(() => started.promise);
  }
  return {
    /** Passes on what a process of this name writes, until it ends. */
    async take(name: Name, output: Output): Promise<void> {
      const turn = turns.get(name);
      try {
        await pass(output, { turn, write });
      } finally {
        turn?.started.resolve();
      }
    },
    /** Shows nothing any more: the start failed, and what the others say would hide the reason. */
    silence(): void {
      isSilent = true;
    },
  };
}

async function pass(
  output: Output,
  { turn, write }: { turn: Turn | undefined; write(bytes: Uint8Array): void },
): Promise<void> {
  const end = endOfStart.charCodeAt(0);
  const held: Uint8Array[] = [];
  let isShown = false;
  const shown = (turn?.before ?? Promise.resolve()).then(() => {
    isShown = true;
    held.splice(0).forEach(write);
  });
  for await (const part of output) { // It is read at once, so that the process never waits to write.
    const isEnd = part.includes(end);
    held.push(isEnd ? part.filter((byte) => byte !== end) : part);
    if (isShown) held.splice(0).forEach(write);
    if (isEnd) void shown.then(turn?.started.resolve);
  }
  await shown;
}
