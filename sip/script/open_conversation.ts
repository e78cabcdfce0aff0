import { learnedTenant } from "../../core/base/learned_tenants.ts";
import type {
  ConversationInput,
  ConversationOrder,
  ConversedEvent,
} from "../../core/protocol/streams.ts";
import { forAccount, type MediaLeg, mediaLimits } from "../media/mod.ts";
import {
  type Closing,
  createLiveness,
  floodMessage,
  heldMessage,
  type Liveness,
  type ServerSocket,
} from "../media/sockets.ts";
import { connected } from "./steps/connected.ts";
import type { ScriptRun } from "./steps/script_run.ts";
import { hear } from "./conversation_hearing.ts";
import type { OwnMessage, ServerMessage } from "./conversation_messages.ts";
import { createSpeech } from "./conversation_speech.ts";
import {
  type ConversationOutput,
  createConversationOutput,
  type Manner,
} from "./conversation_output.ts";

/** End of a conversation. */
export type Ending = Pick<ConversedEvent, "how" | "fault" | "message" | "handoffData">;

interface State {
  run: ScriptRun;
  media: MediaLeg;
  order: ConversationOrder;
  socket: ServerSocket;
  liveness: Liveness;
  output: ConversationOutput;
  /** Of what is said, and of what is heard. */
  languages: { speech: string; hearing: string };
  /** True when the words of the utterance under way are passed on. */
  isWanted: boolean;
  isHeld: boolean;
  /** Problems that were reported to the service, each once. */
  problems: Set<string>;
  stops: (() => void)[];
  isOver: boolean;
  onEnd(ending: Ending): void;
}

/** Connects a leg with the server of a conversation. The result ends it as `completed`. */
export function openConversation(
  run: ScriptRun,
  { media, order, onEnd }: {
    media: MediaLeg;
    order: ConversationOrder;
    onEnd(ending: Ending): void;
  },
): () => void {
  const now = () => performance.now();
  const { settings: { speech, hearing } } = order;
  const { url, headers, sid } = order;
  const { accountSid } = run.live.leg;
  const tenant = learnedTenant(accountSid);
  const socket = run.calls.sockets.open({ url, headers, sid, tenant, isHeard: true }, {
    onOpen: () => void begin(state),
    // Read by `readMessage`, wherever the socket is.
    onMessage: (message) => take(state, message as ServerMessage),
    onBadMessage: (why, shown) =>
      problem(state, "messages", `Invalid message received: ${shown} (${why})`),
    onPong: () => state.liveness.onPong(),
    onClose: (closing) => settle(state, closing),
  });
  const state: State = {
    run,
    media,
    order,
    socket,
    liveness: createLiveness({ ping: socket.ping, isHeld: () => socket.heldMs > 0, now }),
    output: createConversationOutput({
      speak: createSpeech(run, speech),
      load: run.calls.loadAudio,
      play: (pcm, options) => media.play(pcm, options),
      press: (digits, signal) => media.sendDigits(digits, signal),
      timers: run.calls.signalling.timers,
      now,
      onSpeaking: (isSpeaking) => tellSpeaking(state, "agentSpeaking", isSpeaking),
      onPlayed: (value) =>
        tells(state, "tokens-played", { type: "info", name: "tokensPlayed", value }),
      onProblem: (error, source) =>
        problem(state, source === undefined ? "speech" : "sound", error, source),
    }),
    languages: { speech: speech.language, hearing: hearing.language },
    isWanted: true,
    isHeld: false,
    problems: new Set(),
    stops: [],
    isOver: false,
    onEnd,
  };
  return () => {
    socket.close();
    end(state, { how: "completed" });
  };
}

async function begin(state: State): Promise<void> {
  const { run, media, order: { setup, settings }, socket, output } = state;
  socket.send(JSON.stringify(setup));
  state.stops.push(watch(state), media.onDigits((digit) => press(state, digit)));
  try {
    await connected(run, media, "lead a conversation");
  } catch (error) {
    socket.close();
    return end(state, { how: "failed", fault: "unreachable", message: plainMessage(error) });
  }
  if (state.isOver) return;
  listen(state);
  const { greeting, isPreemptible } = settings;
  if (greeting === undefined) return;
  const { text: token, interruptible } = greeting;
  const language = state.languages.speech;
  output.text({ token, language, interruptible, isPreemptible, isLast: true });
}

/** Pings the server, and ends the conversation where it does not answer. */
function watch(state: State): () => void {
  const { liveness, socket, run: { calls: { signalling: { timers } } } } = state;
  let stop = () => {};
  const look = () => {
    liveness.tick();
    const { heldMs } = socket;
    if (heldMs > 0 && !state.isHeld) tell(state, { type: "error", description: heldMessage });
    state.isHeld = heldMs > 0;
    if (heldMs >= mediaLimits.streamFloodMs) {
      socket.destroy();
      return end(state, { how: "failed", fault: "messages", message: floodMessage });
    }
    if (liveness.silentMs < mediaLimits.streamSilentMs) {
      stop = timers.after(mediaLimits.streamPingMs / 2, look);
      return;
    }
    socket.destroy();
    const message = `the server does not answer pings for ${mediaLimits.streamSilentMs / 1_000} s`;
    end(state, { how: "failed", fault: "unreachable", message });
  };
  look();
  return () => stop();
}

function listen(state: State): void {
  const { run: { calls: { recogniser }, live }, media, order: { settings }, output } = state;
  const { hearing, interruptAfterMs } = settings;
  if (recogniser === null) {
    return problem(state, "recognition", "the operator has set up no speech recognition");
  }
  state.stops.push(hear({
    media,
    recogniser: forAccount(recogniser, live.leg.accountSid),
    settings: hearing,
    interruptAfterMs,
    language: () => state.languages.hearing,
    onSpeaking(isSpeaking) {
      if (isSpeaking) state.isWanted = isReported(state, "speech");
      tellSpeaking(state, "clientSpeaking", isSpeaking);
    },
    onSpeech() {
      const hasInterrupted = interrupt(state, "speech");
      state.isWanted ||= hasInterrupted || isReported(state, "speech");
    },
    isWanted: () => state.isWanted,
    onWords({ text }, lang, last) {
      if (last) output.takeTurn();
      tell(state, { type: "prompt", voicePrompt: text, lang, last });
    },
    onProblem: (message) => problem(state, "recognition", message),
  }));
}

/** True when input that interrupts nothing is passed on: all is while nothing is being said. */
const isReported = ({ output, order }: State, by: "speech" | "dtmf"): boolean =>
  !output.isSpeaking || isAmong(order.settings.reported, by);

const isAmong = (inputs: ConversationInput, by: "speech" | "dtmf"): boolean =>
  inputs === "any" || inputs === by;

/** Ends what is said, where that may be interrupted. */
function interrupt(state: State, by: "speech" | "dtmf"): boolean {
  const heard = state.output.interrupt(by);
  if (heard === undefined) return false;
  const { text, ms } = heard;
  tell(state, {
    type: "interrupt",
    utteranceUntilInterrupt: text,
    durationUntilInterruptMs: ms,
  });
  return true;
}

function press(state: State, digit: string): void {
  const { order: { settings: { hasDigits } }, output } = state;
  const isWanted = interrupt(state, "dtmf") || isReported(state, "dtmf");
  if (!hasDigits || !isWanted) return;
  output.takeTurn();
  tell(state, { type: "dtmf", digit });
}

function take(state: State, message: ServerMessage): void {
  if (state.isOver || perform(state, message)) return;
  tell(state, { type: "error", description: "Too much waits to be said: this is left out" });
}

/** Does what a message says; false where too much waits. */
function perform(state: State, message: ServerMessage): boolean {
  const { output, languages, socket } = state;
  switch (message.type) {
    case "text": {
      const { token, last: isLast = false, lang: language = languages.speech } = message;
      return output.text({ token, isLast, language, ...mannerOf(state, message) });
    }
    case "play": {
      const { source, loop = 1 } = message;
      return output.sound({ source, loop: loop || 1_000, ...mannerOf(state, message) });
    }
    case "sendDigits":
      return output.digits(message.digits);
    case "language":
      languages.speech = message.ttsLanguage ?? languages.speech;
      languages.hearing = message.transcriptionLanguage ?? languages.hearing;
      return true;
    case "end": {
      const { handoffData } = message;
      socket.close();
      end(state, { how: "ended", ...typeof handoffData === "string" && { handoffData } });
      return true;
    }
  }
}

function mannerOf(
  { order: { settings } }: State,
  { interruptible = settings.interruptible, preemptible: isPreemptible = settings.isPreemptible }: {
    interruptible?: ConversationInput | undefined;
    preemptible?: boolean | undefined;
  },
): Manner {
  return { interruptible, isPreemptible };
}

const tell = ({ socket, isOver }: State, message: OwnMessage): void =>
  isOver ? undefined : socket.send(JSON.stringify(message));

/** The same where the document demands it. */
function tells(state: State, event: "speaker-events" | "tokens-played", message: OwnMessage): void {
  if (state.order.settings.events.includes(event)) tell(state, message);
}

const tellSpeaking = (
  state: State,
  name: "agentSpeaking" | "clientSpeaking",
  isSpeaking: boolean,
): void => tells(state, "speaker-events", { type: "info", name, value: isSpeaking ? "on" : "off" });

/** Reports a problem to the server each time, and to the service once for each kind. */
function problem(
  state: State,
  what: "speech" | "sound" | "recognition" | "messages",
  error: unknown,
  url = "",
): void {
  if (state.isOver) return;
  const message = plainMessage(error);
  tell(state, { type: "error", description: message });
  if (state.problems.has(what)) return;
  state.problems.add(what);
  const about = what === "sound" ? {} : { about: what };
  const at = what === "messages" ? state.order.url : url;
  state.run.live.report({ type: "problem", url: at, message, ...about });
}

/** The socket was closed by the server, or was never open. */
function settle(state: State, { isGoodbye, why, fault = "unreachable" }: Closing): void {
  end(
    state,
    isGoodbye ? { how: "ended" } : { how: "failed", fault, message: why },
  );
}

function end(state: State, ending: Ending): void {
  if (state.isOver) return;
  state.isOver = true;
  state.output.stop();
  for (const stop of state.stops) stop();
  state.onEnd(ending);
}

const plainMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
