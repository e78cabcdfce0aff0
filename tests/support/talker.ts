import { encodeG711 } from "../../sip/media/g711.ts";
import { plainOffer, type PlainSocket, plainSocket, portOf, soundOf } from "./plain_peer.ts";
import type { Softphone } from "./softphone.ts";
import type { PhoneDialog } from "./softphone_dialog.ts";
import { eventually } from "./system.ts";
import { amplitudeOf, tone } from "./tone.ts";

/** A softphone in a call that says a tone all the time. */
export interface Talker {
  callId: string;
  dialog: PhoneDialog;
  /** How loud tones are in the next 0.4 s that it hears. */
  hears(...pitches: number[]): Promise<number[]>;
  /** Resolves when the levels that it hears fit. */
  untilHears(pitches: number[], fits: (levels: number[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Whether a talker's tone is among what is heard, or not. */
export const there = (level: number): boolean => level > 3_000;
export const gone = (level: number): boolean => level < 500;

let made = 0;

/** Has a softphone call with plain RTP and, answered, say a tone. */
export async function talkAt(phone: Softphone, target: string, hz: number): Promise<Talker> {
  const socket = await plainSocket(7_000 + made++);
  const calling = phone.call(target, { sdp: plainOffer(socket.port) });
  const dialog = await calling.answered;
  const stop = speak(socket, portOf(dialog.remoteSdp), hz);
  const hears = async (...pitches: number[]) => {
    const sound = soundOf("PCMU", await socket.next(20, ({ payloadType }) => payloadType === 0));
    return pitches.map((hz) => Math.round(amplitudeOf(hz, sound)));
  };
  return {
    callId: calling.callId,
    dialog,
    hears,
    async untilHears(pitches, fits) {
      let levels: number[] = [];
      await eventually(
        () => `levels of ${pitches} Hz that fit, but ${levels}`,
        async () => fits(levels = await hears(...pitches)),
      );
    },
    async close() {
      stop();
      await socket.close();
    },
  };
}

/** Sends a tone to a port, a packet each 20 ms; the result ends it. */
function speak(socket: PlainSocket, to: number, hz: number): () => void {
  const payload = encodeG711("PCMU", tone(hz, 0.2)); // Whole periods of what tests use.
  let at = 0;
  const timer = setInterval(() => {
    socket.send(to, { payload: payload.slice(at, at + 160) });
    at = (at + 160) % payload.length;
  }, 20);
  return () => clearInterval(timer);
}

export async function closeAll(talkers: Talker[]): Promise<void> {
  await Promise.all(talkers.map((talker) => talker.close()));
}
