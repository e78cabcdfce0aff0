/**
 * Follows a message of a WebSocket from its first octet to its last, by the heads of frames (RFC
 * 6455 §5.2). npm `ws` reads and checks the frames, but reports only what is complete. A stream that
 * breaks the rules may be followed wrongly: the library ends it.
 */
export interface MessageProgress {
  /** True while a frame, or a message of several, has begun and is not complete. */
  readonly partial: boolean;
  /** Takes octets; returns true when a message was completed, or a control frame outside of one. */
  take(chunk: Uint8Array): boolean;
}

export const followMessages = (): MessageProgress => new FrameHeads();

class FrameHeads implements MessageProgress {
  /** True while the last frame of a message in several frames has not begun. */
  #isFragmented = false;
  /** Octets of the head of this frame that have come, and those that must follow at least. */
  #headCame = 0;
  #headLeft = 2;
  #lengthLeft = 0;
  #payloadLeft = 0;

  get partial() {
    return this.#isFragmented || this.#headCame > 0;
  }
  take(chunk: Uint8Array) {
    let isComplete = false;
    for (let at = 0; at < chunk.length;) {
      if (this.#headLeft > 0) this.#takeHead(chunk[at++] ?? 0);
      else {
        const taken = Math.min(this.#payloadLeft, chunk.length - at);
        this.#payloadLeft -= taken;
        at += taken;
      }
      if (this.#headLeft > 0 || this.#payloadLeft > 0) continue;
      [this.#headCame, this.#headLeft] = [0, 2];
      isComplete ||= !this.#isFragmented;
    }
    return isComplete;
  }
  #takeHead(octet: number): void {
    const position = this.#headCame++;
    this.#headLeft--;
    if (position === 0) {
      const [isLast, isControl] = [(octet & 0x80) !== 0, (octet & 0x08) !== 0];
      if (!isControl) this.#isFragmented = !isLast;
    } else if (position === 1) {
      const [isMasked, short] = [(octet & 0x80) !== 0, octet & 0x7f];
      this.#lengthLeft = short === 126 ? 2 : short === 127 ? 8 : 0;
      this.#payloadLeft = this.#lengthLeft > 0 ? 0 : short;
      this.#headLeft = this.#lengthLeft + (isMasked ? 4 : 0);
    } else if (this.#lengthLeft > 0) {
      this.#lengthLeft--;
      this.#payloadLeft = this.#payloadLeft * 256 + octet;
    }
  }
}
