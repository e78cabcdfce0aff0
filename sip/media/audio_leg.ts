import { createOutgoing, FRAME_SAMPLES, type Outgoing } from "./outgoing.ts";
import { mediaLimits } from "./limits.ts";
import type { Pcm } from "./port.ts";
import type { RtpPacket } from "./rtp.ts";
import type { Encoding, Formats } from "./sdp.ts";
import { createDigitReceiver } from "./telephone_event.ts";
import type { Ticker } from "./ticker.ts";

/** The codecs that were agreed. */
export interface Agreed {
  /** What may come in, by payload type. */
  incoming: ReadonlyMap<number, Encoding>;
  /** What the peer takes. */
  outgoing: Formats;
}

/** The sound of one leg: what it sends at each moment, and where what it receives goes. */
export interface AudioLeg {
  /** RTP may flow from now on, in these codecs. */
  start(agreed: Agreed): void;
  /** Other codecs were agreed; before `start` this is for nothing. */
  change(agreed: Agreed): void;
  /** RTP from the peer. */
  receive(packet: RtpPacket): void;
  /** Whether the peer wants audio; false while it holds the call. */
  setListening(listening: boolean): void;
  /** Whether the peer sends audio; one that holds the call may say nothing for long. */
  setSpeaking(speaking: boolean): void;
  play(pcm: Pcm, options: { loop: number; signal: AbortSignal }): Promise<void>;
  join(other: AudioLeg): void;
  /** Given a leg, only where it is the one joined. */
  leave(from?: AudioLeg): void;
  close(): void;
}

export interface AudioLegOptions {
  ticker: Ticker;
  ssrc: number;
  now: () => number;
  send: (packet: RtpPacket) => void;
  onDigit: (digit: string) => void;
}

/** State of a leg; the functions below are its only users. */
interface State extends AudioLegOptions {
  agreed: Agreed | undefined;
  stream: Outgoing | undefined;
  listening: boolean;
  speaking: boolean;
  /** When the peer was heard last. */
  heardAt: number;
  playing: Playing | undefined;
  joined: State | undefined;
  stopTicking: (() => void) | undefined;
  closed: boolean;
  receiveDigit: ReturnType<typeof createDigitReceiver>;
}

interface Playing {
  frames: Iterator<Pcm>;
  end(): void;
}

const SILENCE: Pcm = new Int16Array(FRAME_SAMPLES);
const states = new WeakMap<AudioLeg, State>();

export function createAudioLeg(options: AudioLegOptions): AudioLeg {
  const state: State = {
    ...options,
    agreed: undefined,
    stream: undefined,
    listening: true,
    speaking: true,
    heardAt: -Infinity,
    playing: undefined,
    joined: undefined,
    stopTicking: undefined,
    closed: false,
    receiveDigit: createDigitReceiver(options.onDigit),
  };
  const leg: AudioLeg = {
    start: (agreed) => start(state, agreed),
    change: (agreed) => change(state, agreed),
    receive: (packet) => receive(state, packet),
    setSpeaking(speaking) {
      state.speaking = speaking;
      if (state.joined !== undefined) adjustTicking(state.joined);
    },
    setListening(listening) {
      state.listening = listening;
      adjustTicking(state);
    },
    play: (pcm, options) => play(state, pcm, options),
    join: (other) => join(state, states.get(other)!),
    leave: (from) => leave(state, from && states.get(from)),
    close: () => close(state),
  };
  states.set(leg, state);
  return leg;
}

function start(state: State, agreed: Agreed): void {
  if (state.closed) return;
  state.agreed = agreed;
  state.stream = createOutgoing({ ...state, formats: agreed.outgoing });
  adjustTicking(state);
}

function change(state: State, agreed: Agreed): void {
  if (state.stream === undefined) return;
  state.agreed = agreed;
  state.stream.setFormats(agreed.outgoing);
}

/**
 * A leg needs frames while a play goes on, or else to send silence where no other leg speaks: also
 * to a trunk whose other side holds, since a trunk may end a call that it hears nothing of.
 */
function adjustTicking(state: State): void {
  const { stream, closed, playing, joined, listening } = state;
  const needed = stream !== undefined && !closed &&
    (playing !== undefined || (listening && !joined?.speaking));
  if (needed) return void (state.stopTicking ??= state.ticker.listen(() => tick(state)));
  state.stopTicking?.();
  state.stopTicking = undefined;
}

function tick(state: State): void {
  const next = state.playing?.frames.next();
  if (next?.done) state.playing?.end();
  const frame = next === undefined || next.done ? SILENCE : next.value;
  if (state.listening && (frame !== SILENCE || !isHeard(state.joined))) {
    state.stream?.frame(frame);
  }
}

/** Whether packets of the other leg come, or should. */
const isHeard = (joined: State | undefined): boolean =>
  joined !== undefined &&
  (joined.speaking || joined.now() - joined.heardAt < mediaLimits.talkspurtGapMs);

function receive(state: State, packet: RtpPacket): void {
  const encoding = state.agreed?.incoming.get(packet.payloadType);
  if (encoding === undefined) return;
  state.heardAt = state.now();
  if (encoding === "telephone-event") state.receiveDigit(packet);
  // The digit may have ended the conversation.
  const other = state.joined;
  if (other?.listening && other.playing === undefined) other.stream?.forward(packet, encoding);
}

function play(
  state: State,
  pcm: Pcm,
  { loop, signal }: { loop: number; signal: AbortSignal },
): Promise<void> {
  state.playing?.end();
  if (state.closed || signal.aborted || pcm.length === 0) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const playing: Playing = {
    frames: frames(pcm, loop),
    end() {
      signal.removeEventListener("abort", playing.end);
      if (state.playing === playing) state.playing = undefined;
      adjustTicking(state);
      resolve();
    },
  };
  signal.addEventListener("abort", playing.end);
  state.playing = playing;
  adjustTicking(state);
  return promise;
}

/** The samples in frames, `loop` times without a gap (0 is for ever), then filled up with zeros. */
function* frames(pcm: Pcm, loop: number): Generator<Pcm, void> {
  const total = loop === 0 ? Infinity : pcm.length * loop;
  for (let start = 0; start < total; start += FRAME_SAMPLES) {
    const frame = new Int16Array(FRAME_SAMPLES);
    const length = Math.min(FRAME_SAMPLES, total - start);
    for (let i = 0; i < length; i++) frame[i] = pcm[(start + i) % pcm.length]!;
    yield frame;
  }
}

function join(one: State, other: State): void {
  if (one.closed || other.closed || one === other) return;
  for (const state of [one, other]) {
    leave(state);
    state.playing?.end();
  }
  one.joined = other;
  other.joined = one;
  for (const state of [one, other]) adjustTicking(state);
}

function leave(state: State, from = state.joined): void {
  const other = state.joined;
  if (other === undefined || other !== from) return;
  state.joined = undefined;
  other.joined = undefined;
  for (const each of [state, other]) adjustTicking(each);
}

function close(state: State): void {
  if (state.closed) return;
  leave(state);
  state.closed = true;
  state.playing?.end();
  adjustTicking(state);
}
