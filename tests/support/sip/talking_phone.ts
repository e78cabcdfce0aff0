import { decodeG711, encodeG711 } from "../../../sip/media/codecs/g711.ts";
import { amplitudeOf, tone } from "../media/tone.ts";
import { eventually } from "../process/eventually.ts";
import { plainOffer, plainSocket, portOf } from "./plain_peer.ts";
import type { IncomingCall } from "./softphone_incoming.ts";
import type { PhoneDialog } from "./softphone_dialog.ts";
import type { Softphone } from "./softphone.ts";

/** A plain phone that says a tone all the time, and keeps what it hears in the last second. */
export interface TalkingPhone {
  /** For an INVITE of its own, or the answer to one. */
  readonly sdp: string;
  /** Sets the address to which the phone sends its audio. */
  connect(remoteSdp: string): void;
  /** Sets the tone that it sends from now on, in Hz; null for none. */
  say(hz: number | null): void;
  /** Says samples once, and then nothing. */
  speak(pcm: Int16Array): void;
  /** Presses a digit, as a telephone event. */
  press(digit: number): void;
  /** Resolves when it hears a tone, and in the same half second none of the others. */
  hears(hz: number, without?: readonly number[]): Promise<void>;
  /** Resolves when it has heard silence for half a second. */
  hearsNothing(): Promise<void>;
  /** Resolves when it hears something now. */
  hearsSomething(): Promise<void>;
  close(): Promise<void>;
}

const halfSecond = 25;
/** Amplitudes from which a tone is there, and up to which it is not. */
const [there, gone] = [700, 200];

export async function talkingPhone(): Promise<TalkingPhone> {
  const socket = await plainSocket(Math.floor(Math.random() * 1e9));
  let to = 0;
  let said: Int16Array | null = null;
  let at = 0;
  let isOnce = false;
  let heard: Int16Array[] = [];
  let isOver = false;
  const listen = async () => {
    while (!isOver) {
      const [packet] = await socket.next(1, ({ payloadType }) => payloadType === 0);
      heard = [...heard, decodeG711("PCMU", packet!.payload)].slice(-2 * halfSecond);
    }
  };
  void listen();
  const silence = new Int16Array(160);
  let frames = 0;
  const timestamp = () => (50_000 + frames * 160) >>> 0;
  const clock = setInterval(() => {
    if (to === 0) return;
    if (isOnce && said !== null && at + 160 > said.length) said = null;
    const frame = said?.slice(at, at + 160) ?? silence;
    at = said === null ? 0 : isOnce ? at + 160 : (at + 160) % said.length;
    frames++;
    const payload = encodeG711("PCMU", frame);
    socket.send(to, { payloadType: 0, payload, timestamp: timestamp() });
  }, 20);
  const latest = () => heard.slice(-halfSecond).flatMap((frame) => [...frame]);
  return {
    sdp: plainOffer(socket.port),
    connect: (remoteSdp) => void (to = portOf(remoteSdp)),
    say: (hz) => void ([said, at, isOnce] = [hz === null ? null : tone(hz, 1), 0, false]),
    speak: (pcm) => void ([said, at, isOnce] = [pcm, 0, true]),
    press(digit) {
      const end = [digit, 0x8a, 0x03, 0x20];
      // Of two keys, the later one has the later timestamp (RFC 4733 §2.5.1.3).
      const pressedAt = timestamp();
      for (const payload of [[digit, 0x0a, 0x00, 0xa0], end, end, end]) {
        const packet = { payloadType: 101, payload: new Uint8Array(payload) };
        socket.send(to, { ...packet, timestamp: pressedAt });
      }
    },
    hears: async (hz, without = []) =>
      void await eventually(`${hz} Hz is heard`, () => {
        const samples = latest();
        return heard.length >= halfSecond && amplitudeOf(hz, samples) > there &&
          without.every((other) => amplitudeOf(other, samples) < gone);
      }),
    hearsNothing: async () =>
      void await eventually("nothing is heard", () => {
        const samples = latest();
        return heard.length >= halfSecond && samples.every((one) => Math.abs(one) < gone);
      }),
    hearsSomething: async () =>
      void await eventually(
        "something is heard",
        () => latest().slice(-800).some((one) => Math.abs(one) > there),
      ),
    async close() {
      isOver = true;
      clearInterval(clock);
      await socket.close();
    },
  };
}

/** Has a softphone call, and talk by a plain phone. */
export async function callTalking(
  softphone: Softphone,
  target: string,
): Promise<{ talking: TalkingPhone; dialog: PhoneDialog }> {
  const talking = await talkingPhone();
  const dialog = await softphone.call(target, { sdp: talking.sdp }).answered;
  talking.connect(dialog.remoteSdp);
  return { talking, dialog };
}

/** Answers a call of plain RTP, and talks by a plain phone. */
export async function answerTalking(
  call: IncomingCall,
): Promise<{ talking: TalkingPhone; dialog: PhoneDialog }> {
  const talking = await talkingPhone();
  talking.connect(call.invite.body);
  const dialog = await call.answer(talking.sdp);
  return { talking, dialog };
}
