import type { Pcm } from "../base/port.ts";
import type { MixedMedia } from "./mixer.ts";

/** Has a leg send what it hears, each frame at the tick at which it came; the result ends it. */
export function echo(media: Pick<MixedMedia, "listen" | "feed">): () => void {
  let heard: Pcm | undefined;
  const stopHearing = media.listen((frame) => heard = frame);
  const stopFeeding = media.feed(() => heard);
  return () => {
    stopFeeding();
    stopHearing();
  };
}
