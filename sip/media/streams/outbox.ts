import { mediaLimits } from "../base/limits.ts";
import type { Frame } from "./messages.ts";

/** Messages to a server: in order, and bounded however slowly it reads. */
export interface Outbox {
  /** Sends a message, which no other may overtake; false where too many wait. */
  send(write: () => string): boolean;
  /** Sends a frame; where too many wait, the oldest one is left out. */
  frame(frame: Frame): void;
  /** Sends what waits, as far as the server takes it. */
  flush(): void;
  /** Sends all that waits without any more waiting. */
  drain(): void;
  /** Frames that were left out so far. */
  readonly lost: number;
}

export interface OutboxOptions {
  tracks: number;
  /** True where the server takes more at this moment. */
  isReady(): boolean;
  sendText(text: string): void;
  /** Makes the message of a frame, at the moment at which it is sent. */
  write(frame: Frame): string;
}

type Entry = { frame: Frame } | { write: () => string };

export function createOutbox({ tracks, isReady, sendText, write }: OutboxOptions): Outbox {
  const mostFrames = mediaLimits.streamFrames * tracks;
  let waiting: Entry[] = [];
  let [frames, messages, lost] = [0, 0, 0];

  const sendEntry = (entry: Entry) => {
    if ("frame" in entry) frames--;
    else messages--;
    sendText("frame" in entry ? write(entry.frame) : entry.write());
  };
  const loseOldest = () => {
    const at = waiting.findIndex((entry) => "frame" in entry);
    waiting.splice(at, 1);
    frames--;
    lost++;
  };
  const outbox: Outbox = {
    send(text) {
      if (waiting.length === 0 && isReady()) sendText(text());
      else if (messages >= mediaLimits.streamMessages) return false;
      else {
        waiting.push({ write: text });
        messages++;
      }
      return true;
    },
    frame(frame) {
      outbox.flush();
      if (waiting.length === 0 && isReady()) return sendText(write(frame));
      if (frames >= mostFrames) loseOldest();
      // The frame is lent.
      waiting.push({ frame: { ...frame, audio: frame.audio.slice() } });
      frames++;
    },
    flush() {
      let sent = 0;
      for (const entry of waiting) {
        if (!isReady()) break;
        sendEntry(entry);
        sent++;
      }
      if (sent > 0) waiting = waiting.slice(sent);
    },
    drain: () => waiting.splice(0).forEach(sendEntry),
    get lost() {
      return lost;
    },
  };
  return outbox;
}
