/** Audio of a server that waits to be played, and its marks. */
export interface Playback {
  /** Queues audio; false, with nothing queued, where too much waits already. */
  push(audio: Uint8Array<ArrayBuffer>): boolean;
  /** Queues a mark behind what was pushed; false where too many wait. */
  mark(name: string): boolean;
  /** Drops what is queued, and returns its marks. */
  clear(): void;
  /** The next `frameBytes`, what is missing filled up; undefined where nothing waits. */
  next(): Uint8Array<ArrayBuffer> | undefined;
}

export interface PlaybackOptions {
  frameBytes: number;
  /** Bytes that may wait. */
  mostBytes: number;
  mostMarks: number;
  /** A byte of silence. */
  silence: number;
  /** Called when the audio before a mark has been played, or was dropped. */
  onMark(name: string): void;
}

export function createPlayback(options: PlaybackOptions): Playback {
  const { frameBytes, mostBytes, mostMarks, silence, onMark } = options;
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  /** Bytes of the first piece that are played. */
  let used = 0;
  let [pushed, played] = [0, 0];
  const marks: { name: string; at: number }[] = [];

  const tellMarks = () => {
    for (let first = marks[0]; first !== undefined && first.at <= played; first = marks[0]) {
      marks.shift();
      onMark(first.name);
    }
  };
  return {
    push(audio) {
      if (pushed - played + audio.length > mostBytes) return false;
      if (audio.length > 0) pieces.push(audio);
      pushed += audio.length;
      return true;
    },
    mark(name) {
      if (marks.length >= mostMarks) return false;
      marks.push({ name, at: pushed });
      tellMarks();
      return true;
    },
    clear() {
      pieces = [];
      used = 0;
      played = pushed;
      tellMarks();
    },
    next() {
      tellMarks(); // The frame that was taken the last time has been sent.
      if (pieces.length === 0) return undefined;
      const frame = new Uint8Array(frameBytes);
      let filled = 0;
      for (let piece = pieces[0]; piece !== undefined && filled < frameBytes; piece = pieces[0]) {
        const part = piece.subarray(used, used + frameBytes - filled);
        frame.set(part, filled);
        filled += part.length;
        used += part.length;
        if (used < piece.length) break;
        pieces.shift();
        used = 0;
      }
      frame.fill(silence, filled);
      played += filled;
      return frame;
    },
  };
}
