import type { RoomStep } from "../../core/bridge_rooms.ts";
import type { Script } from "../../core/bridge_script.ts";
import { roomPaths } from "../../core/bridge_rooms.ts";
import type { RoomOrder } from "../../core/bridge_rooms.ts";
import { encodeG711 } from "../../sip/media/g711.ts";
import { mediaEngine } from "../../sip/media/engine.ts";
import { rtpTransport } from "../../sip/media/plain_rtp.ts";
import { systemClock } from "../../sip/media/ticker.ts";
import { plainOffer, type PlainSocket, plainSocket, portOf, soundOf } from "./plain_peer.ts";
import { type SipLab, type SipLabOptions, startSipLab } from "./sip_lab.ts";
import type { PhoneDialog } from "./softphone_dialog.ts";
import { amplitudeOf, tone } from "./tone.ts";

export const conferenceSid = `CF${"c".repeat(32)}`;

/** A room that a leg is put into, without beeps and with silence for those who wait. */
export const roomStep = (changes: Partial<RoomStep> = {}): RoomStep => ({
  type: "room",
  conferenceSid,
  most: 40,
  muted: false,
  beepOnEnter: false,
  beepOnExit: false,
  startOnEnter: true,
  endOnExit: false,
  wait: null,
  timeLimitS: 60,
  ...changes,
});

/** A companion with media of its own, for plain RTP. */
export function startRoomLab(options: SipLabOptions = {}): Promise<SipLab> {
  const ports = { first: 0, last: 0 };
  const own = { bindAddress: "127.0.0.1", host: "127.0.0.1", ports, now: systemClock.now };
  const engine = mediaEngine({ transports: [rtpTransport(own)], log: () => {} });
  return startSipLab({ engine, ...options });
}

/** A softphone in a call that says a tone all the time. */
export interface Talker {
  leg: string;
  dialog: PhoneDialog;
  socket: PlainSocket;
  /** How loud the tones are in the next 0.4 s that it hears, in their order. */
  hears(...pitches: number[]): Promise<number[]>;
  /** Resolves when the levels that it hears fit. */
  untilHears(pitches: number[], fits: (levels: number[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

let ssrc = 1;

/** Has a softphone call, whose leg performs a script, and say a tone. */
export async function enter(
  lab: SipLab,
  { login, hz, script }: { login: string; hz: number; script: Script },
): Promise<Talker> {
  const socket = await plainSocket(7_000 + ssrc++);
  const before = lab.service.answer;
  lab.service.answer = (report) =>
    report.event.type === "incoming" && report.event.login === login ? script : before(report);
  const phone = await lab.phone(login);
  const calling = phone.call("sip:room@sip.test", { sdp: plainOffer(socket.port) });
  const dialog = await calling.answered;
  const { leg } = await lab.service.reported(({ event }) =>
    event.type === "incoming" && event.sipCallId === calling.callId
  );
  const stop = speak(socket, portOf(dialog.remoteSdp), hz);
  const hears = async (...pitches: number[]) => {
    const sound = soundOf("PCMU", await socket.next(20, ({ payloadType }) => payloadType === 0));
    return pitches.map((hz) => Math.round(amplitudeOf(hz, sound)));
  };
  return {
    leg,
    dialog,
    socket,
    hears,
    async untilHears(pitches, fits) {
      while (!fits(await hears(...pitches)));
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

/** Has the companion do something in the room. */
export async function order(lab: SipLab, order: RoomOrder["order"]): Promise<boolean> {
  const content = { conferenceSid, order };
  const answer = await lab.service.order(lab.companion.bridgeUrl, roomPaths.order, content);
  return (await answer.json()).isKnown;
}

/** Whether a talker's tone is among what is heard, or not. */
export const there = (level: number): boolean => level > 3_000;
export const gone = (level: number): boolean => level < 500;

export async function closeAll(talkers: Talker[]): Promise<void> {
  await Promise.all(talkers.map((talker) => talker.close()));
}
