import type { Pcm } from "../base/port.ts";
import type { SentSound } from "./wire.ts";

/**
 * Numbers sounds, so that each crosses to the engine once however often it is played; `forget` is
 * called with the number of a sound that is no longer used here.
 */
export function createSentSounds(
  next: () => number,
  forget: (sound: number) => void,
): (pcm: Pcm) => SentSound {
  const ids = new WeakMap<Pcm, number>();
  const registry = new FinalizationRegistry<number>(forget);
  return (pcm) => {
    const known = ids.get(pcm);
    if (known !== undefined) return { id: known };
    const id = next();
    ids.set(pcm, id);
    registry.register(pcm, id);
    // A part of a buffer would be sent with the whole of it.
    return { id, pcm: pcm.byteLength < pcm.buffer.byteLength ? pcm.slice() : pcm };
  };
}
