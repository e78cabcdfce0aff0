/**
 * MP3 is encoded on request, by LAME in WebAssembly: nothing to store, to back up or to erase beside the
 * WAV. Its length follows from that of the WAV. It is encoded in a Worker, since a second of sound takes
 * milliseconds and an hour seconds: on the loop of the service, 17 requests a second filled the loop: 59 ms
 * of CPU time each, the compilation of the encoder included. The median of others' `/health` rose from 2 to
 * 2,507 ms. In the Worker, which keeps the compiled encoder, one costs 9 ms.
 *
 * The Worker starts with the first MP3, ends 20 s after the last one, and is replaced when it fails. It is
 * one core at most, which pieces of all encodings share in turn: 16 at once, 3 of a tenant, up to 100
 * more of a tenant wait for 15 s, then 429. A reader that takes nothing for a minute loses its place.
 * On a platform without Workers pieces are encoded here, one in each turn of the loop.
 */
import type { Mp3Encoding, Mp3Piece } from "./mp3_encoder.ts";
import type { Mp3Order, Mp3Report } from "./mp3_worker.ts";

/** Time that the Worker may take for a piece, and stays without work, in ms. */
const [pieceMs, idleMs] = [30_000, 20_000];

interface Pending {
  resolve(made: Uint8Array<ArrayBuffer>): void;
  reject(error: Error): void;
}

/** A Worker, and its open orders. */
interface Encoder {
  worker: Worker;
  /** Encodings, and whether a piece of theirs is being encoded. */
  open: Map<number, Pending | null>;
  /** Ends it when it hangs, or has nothing to do. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

let running: Encoder | undefined;
let begun = 0;

function start(): Encoder {
  const worker = new Worker(new URL("./mp3_worker.ts", import.meta.url), { type: "module" });
  const encoder: Encoder = { worker, open: new Map(), timer: undefined };
  worker.onmessage = ({ data: { id, made, error } }: MessageEvent<Mp3Report>) => {
    const pending = encoder.open.get(id);
    if (encoder.open.has(id)) encoder.open.set(id, null);
    watch(encoder);
    if (made !== null) pending?.resolve(made);
    else pending?.reject(new Error(`Cannot encode MP3: ${error}`));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end(encoder, event.message);
  };
  return encoder;
}

/** Ends a Worker, and what it had to do. */
function end(encoder: Encoder, why: string): void {
  clearTimeout(encoder.timer);
  encoder.worker.terminate();
  if (running === encoder) running = undefined;
  for (const pending of encoder.open.values()) {
    pending?.reject(new Error(`Cannot encode MP3: ${why}`));
  }
  encoder.open.clear();
}

/** Begins to wait anew: for the next piece that is made, or for something to do. */
function watch(encoder: Encoder): void {
  clearTimeout(encoder.timer);
  const isBusy = encoder.open.values().some((pending) => pending !== null);
  if (!isBusy && encoder.open.size > 0) return;
  encoder.timer = isBusy
    ? setTimeout(() => end(encoder, "the Worker hangs"), pieceMs)
    : setTimeout(() => end(encoder, "the Worker has ended"), idleMs);
}

/** Begins an MP3 in the Worker; in this thread where there are none. */
export function beginMp3(): Mp3Encoding {
  if (typeof Worker === "undefined") return openHere();
  const encoder = running ??= start();
  const id = begun++;
  encoder.open.set(id, null);
  watch(encoder);
  const send = (piece: Mp3Piece | null) => {
    const order: Mp3Order = { id, piece };
    encoder.worker.postMessage(order, piece === null ? [] : [piece.samples.buffer]);
  };
  const leave = () => {
    encoder.open.delete(id);
    watch(encoder);
  };
  return {
    async encode(piece) {
      if (running !== encoder) throw new Error("Cannot encode MP3: the Worker has ended");
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
      encoder.open.set(id, { resolve, reject });
      watch(encoder);
      send(piece);
      const made = await promise;
      if (piece.isLast) leave();
      return made;
    },
    close() {
      if (running !== encoder || !encoder.open.has(id)) return;
      encoder.open.get(id)?.reject(new Error("Cannot encode MP3: it was given up"));
      send(null);
      leave();
    },
  };
}

/** Others have their turn between two pieces. */
function openHere(): Mp3Encoding {
  let opened: Promise<Mp3Encoding> | undefined;
  return {
    async encode(piece) {
      opened ??= import("./mp3_encoder.ts").then(({ openMp3 }) => openMp3());
      const encoding = await opened;
      await new Promise((resolve) => setTimeout(resolve, 0));
      return await encoding.encode(piece);
    },
    close: () => void opened?.then(({ close }) => close()),
  };
}
