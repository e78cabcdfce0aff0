import { type Mp3Encoding, type Mp3Piece, openMp3 } from "./mp3_encoder.ts";

/** A piece of an encoding, or its end by the client (`piece: null`). */
export interface Mp3Order {
  id: number;
  piece: Mp3Piece | null;
}

/** Result of a piece. */
export interface Mp3Report {
  id: number;
  made: Uint8Array<ArrayBuffer> | null;
  /** Why there is nothing. */
  error?: string;
}

/** The scope of a Worker, which the types of a window lack. */
interface Scope {
  onmessage: ((event: MessageEvent<Mp3Order>) => void) | null;
  postMessage(report: Mp3Report, transfer: ArrayBuffer[]): void;
}

// The compiler takes it for a window.
const scope = globalThis as unknown as Scope;
const open = new Map<number, Mp3Encoding>();

async function perform({ id, piece }: Mp3Order): Promise<void> {
  const encoding = open.get(id) ?? openMp3();
  if (piece === null || piece.isLast) open.delete(id);
  else open.set(id, encoding);
  if (piece === null) return encoding.close();
  try {
    const made = await encoding.encode(piece);
    scope.postMessage({ id, made }, [made.buffer]);
  } catch (error) {
    open.delete(id);
    const why = error instanceof Error ? error.message : String(error);
    scope.postMessage({ id, made: null, error: why }, []);
  }
}

scope.onmessage = ({ data }) => void perform(data);
