import { setImmediate as nextTurn } from "node:timers/promises";

/** CPU time of this thread, in ms (proc(5), /proc/thread-self/schedstat). */
function openThreadCpu() {
  const file = Deno.openSync("/proc/thread-self/schedstat");
  const bytes = new Uint8Array(100);
  const decoder = new TextDecoder();
  return {
    read() {
      file.seekSync(0, Deno.SeekMode.Start);
      const count = file.readSync(bytes) ?? 0;
      return Number(decoder.decode(bytes.subarray(0, count)).split(" ")[0]) / 1e6;
    },
    [Symbol.dispose]: () => file.close(),
  };
}

/** CPU time that work took of the loop, in ms: in all, and in its longest piece without a turn of others. */
export interface Pieces {
  allMs: number;
  longestMs: number;
}

/** Measures work on this thread, by CPU time: a busy machine does not count. */
export async function measurePieces(work: () => Promise<unknown>): Promise<Pieces> {
  using cpu = openThreadCpu();
  let [isOver, longestMs] = [false, 0];
  await nextTurn();
  const begun = cpu.read();
  let last = begun;
  const watch = async () => {
    while (!isOver) {
      await nextTurn();
      const now = cpu.read();
      longestMs = Math.max(longestMs, now - last);
      last = now;
    }
  };
  const watching = watch();
  await work();
  isOver = true;
  await watching;
  return { allMs: last - begun, longestMs };
}
