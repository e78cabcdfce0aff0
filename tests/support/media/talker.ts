import { encodeG711 } from "../../../sip/media/codecs/g711.ts";
import { plainOffer, type PlainSocket, plainSocket, portOf, soundOf } from "../sip/plain_peer.ts";
import type { Softphone } from "../sip/softphone.ts";
import type { PhoneDialog } from "../sip/softphone_dialog.ts";
import { eventually } from "../process/eventually.ts";
import { type SipText, valueOf } from "../sip/sip_text.ts";
import { amplitudeOf, tone } from "./tone.ts";
import { inDialog, type TrunkPeer } from "../sip/trunk_peer.ts";

/** A softphone, or another endpoint, in a call in which it sends a tone all the time. */
export interface Talker<D = PhoneDialog> {
  callId: string;
  dialog: D;
  /** Levels of tones in the next 0.4 s that it hears. */
  hears(...pitches: number[]): Promise<number[]>;
  /** Resolves when the levels that it hears fit. */
  untilHears(pitches: number[], fits: (levels: number[]) => boolean): Promise<void>;
  /** Resolves when it hears this tone for 0.8 s, and nothing beside it. */
  untilHearsOnly(hz: number): Promise<void>;
  /** Resolves when it hears anything, or nothing for 0.4 s. */
  untilHearsAnything(anything: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Facts of a call that its carrier has. */
export interface CarrierDialog {
  remoteSdp: string;
  /** Resolves with the BYE of the other side, or the answer to its own. */
  ended: Promise<SipText>;
  bye(): void;
}

/** Returns whether the level of a talker's tone is one of a tone that is heard. */
export const there = (level: number): boolean => level > 3_000;
export const gone = (level: number): boolean => level < 500;

let made = 0;

/** Has a softphone call with plain RTP and, answered, say a tone. */
export async function talkAt(phone: Softphone, target: string, hz: number): Promise<Talker> {
  const socket = await plainSocket(7_000 + made++);
  const calling = phone.call(target, { sdp: plainOffer(socket.port) });
  return talker({ socket, callId: calling.callId, dialog: await calling.answered, hz });
}

/** Has a softphone answer the next call over plain RTP and say a tone. */
export async function answerAt(phone: Softphone, hz: number): Promise<Talker> {
  const socket = await plainSocket(7_000 + made++);
  const call = await phone.nextPlainCall();
  const callId = valueOf(call.invite, "call-id");
  return talker({ socket, callId, dialog: await call.answer(plainOffer(socket.port)), hz });
}

/** Has a carrier answer the next call that reaches it, and say a tone. */
export async function carrierAt(trunk: TrunkPeer, hz: number): Promise<Talker<CarrierDialog>> {
  const socket = await plainSocket(7_000 + made++);
  const invite = await trunk.request("INVITE");
  const callId = valueOf(invite, "call-id");
  trunk.answer(invite, { sdp: plainOffer(socket.port) });
  const ended = endOf(trunk);
  const bye = () => trunk.send(inDialog("BYE", invite, trunk.port));
  return talker({ socket, callId, dialog: { remoteSdp: invite.body, ended, bye }, hz });
}

/** Resolves with the BYE of either side, the carrier's own once it is answered. */
async function endOf(trunk: TrunkPeer): Promise<SipText> {
  for (;;) {
    const message = await trunk.next();
    if (!valueOf(message, "cseq").endsWith(" BYE")) continue;
    if (message.method === "BYE") trunk.respond(message, 200);
    return message;
  }
}

function talker<D extends Pick<PhoneDialog, "remoteSdp">>(
  { socket, callId, dialog, hz }: { socket: PlainSocket; callId: string; dialog: D; hz: number },
): Talker<D> {
  const stop = speak(socket, portOf(dialog.remoteSdp), hz);
  const listen = async () =>
    soundOf("PCMU", await socket.next(20, ({ payloadType }) => payloadType === 0));
  const hears = async (...pitches: number[]) => {
    const sound = await listen();
    return pitches.map((hz) => Math.round(amplitudeOf(hz, sound)));
  };
  return {
    callId,
    dialog,
    hears,
    async untilHears(pitches, fits) {
      let levels: number[] = [];
      await eventually(
        () => `levels of ${pitches} Hz that fit, but ${levels}`,
        async () => fits(levels = await hears(...pitches)),
      );
    },
    async untilHearsOnly(hz) {
      await eventually(
        `nothing but ${hz} Hz`,
        async () => isOnly(hz, await listen()) && isOnly(hz, await listen()),
      );
    },
    async untilHearsAnything(anything) {
      await eventually(
        anything ? "a sound" : "silence",
        async () => powerOf(await listen()) > 100 ** 2 === anything,
      );
    },
    async close() {
      stop();
      await socket.close();
    },
  };
}

const powerOf = (sound: Int16Array) =>
  sound.reduce((sum, sample) => sum + sample ** 2, 0) / sound.length;

/**
 * Returns whether a tone is nearly all of a sound, in nine of ten packets. Frames that a busy
 * machine drops make it jump from one packet to the next, and change nothing within one.
 */
function isOnly(hz: number, sound: Int16Array): boolean {
  const packets = Array.from(
    { length: sound.length / 160 },
    (_, i) => sound.subarray(i * 160, (i + 1) * 160),
  );
  const pure = packets.filter((packet) => {
    const level = amplitudeOf(hz, packet);
    return there(level) && powerOf(packet) - level ** 2 / 2 < level ** 2 / 40;
  });
  return pure.length >= 0.9 * packets.length;
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

export async function closeAll(talkers: Pick<Talker, "close">[]): Promise<void> {
  await Promise.all(talkers.map((talker) => talker.close()));
}
