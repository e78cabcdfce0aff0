import { encodeG711 } from "../../../sip/media/codecs/g711.ts";
import type { Pcm } from "../../../sip/media/base/port.ts";
import type { RtpPacket } from "../../../sip/media/rtp/rtp.ts";
import { plainOffer, plainSocket } from "../sip/plain_peer.ts";
import { keypad } from "./keypad.ts";
import { framesOf } from "./synthetic_speech.ts";

/** A phone's audio in PCMU on the loopback, sent and heard in real time. */
export interface Voice {
  /** For an INVITE of ours, or as the answer to one. */
  readonly sdp: string;
  /** All that was heard so far. */
  readonly heard: RtpPacket[];
  /** Sends to a port from now on: silence, until `say()` sets a frequency. */
  speakTo(port: number): void;
  /** Sets the tone that it sends from now on; null is silence. */
  say(hz: number | null): void;
  /** Says this first, once. */
  sayOnce(pcm: Pcm): void;
  /** Seconds spoken since `speakTo`; a busy machine leaves out what it is late for. */
  spoken(): number;
  /** Presses a key: by telephone events (RFC 4733), or all at once as tones where it has none. */
  press(digit: string): void;
  close(): Promise<void>;
}

const FRAME = 160;
/** Frames that are said late, all at once; a jitter buffer could not use more. */
const LATE_MAX = 5;

export async function openVoice({ hasEvents = true } = {}): Promise<Voice> {
  const socket = await plainSocket(Math.floor(Math.random() * 2 ** 31));
  const heard: RtpPacket[] = [];
  let isClosed = false;
  let [to, hz, frames, leftOut] = [0, 0, 0, 0];
  let timer: ReturnType<typeof setInterval> | undefined;
  let first: Pcm[] = [];

  const timestamp = () => (50_000 + frames * FRAME) >>> 0;
  const spoken = () =>
    first.shift() ?? Int16Array.from(
      { length: FRAME },
      (_, i) => hz * 8_000 && 8_000 * Math.sin(2 * Math.PI * hz * (frames * FRAME + i) / 8_000),
    );
  const send = (pcm = spoken()) => {
    const payload = encodeG711("PCMU", pcm);
    socket.send(to, { payloadType: 0, marker: false, payload, timestamp: timestamp() });
    frames++;
  };
  void (async () => {
    while (!isClosed) heard.push(...await socket.next(1));
  })();
  return {
    sdp: plainOffer(socket.port, hasEvents ? {} : { formats: "0" }),
    heard,
    speakTo(port) {
      to = port;
      const startedAt = performance.now();
      timer = setInterval(() => {
        const due = Math.floor((performance.now() - startedAt) / 20);
        const late = Math.max(0, due - frames - LATE_MAX);
        frames += late;
        leftOut += late;
        while (frames < due) send();
      }, 20);
    },
    say: (frequency) => void (hz = frequency ?? 0),
    sayOnce: (pcm) => void (first = framesOf(pcm)),
    spoken: () => (frames - leftOut) / 50,
    press(digit) {
      if (!hasEvents) return framesOf(keypad(digit)).forEach((frame) => send(frame));
      const event = "0123456789*#ABCD".indexOf(digit);
      for (const [duration, isEnd] of [[160, 0], [320, 0], [480, 1], [480, 1], [480, 1]] as const) {
        const payload = Uint8Array.of(event, isEnd << 7 | 10, duration >> 8, duration & 255);
        socket.send(to, { payloadType: 101, payload, timestamp: timestamp() });
      }
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await socket.close();
    },
  };
}
