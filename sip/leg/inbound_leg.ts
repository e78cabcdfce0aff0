/**
 * An inbound leg. The companion makes its Sid, so that its first report has the final id, and the
 * service recognises a repeat of it. An unanswered call that the service ends by REST, or by a
 * document without a verb that answers, gets 487 and is `canceled`: 603 would make it `busy`, 480
 * makes proxies try another way. A `Dial` that failed passes its status on. A document that cannot
 * be fetched, or a loop of documents, is 404 or 500.
 */
import type { IncomingRequestMessage } from "../base/sip_js.ts";
import type { Flow } from "../base/flow.ts";
import type { CallerDemands } from "../contracts/caller.ts";
import { forgetTransaction } from "../stack/forget_transaction.ts";
import { createWiring } from "./in_dialog.ts";
import { accept, acceptUssd, anchorAt, answer, early, progress } from "./inbound_answer.ts";
import { bye, type InboundCall, type InboundState, lost, refuse } from "./inbound_state.ts";
import { createLegEnd, type InboundLeg } from "../contracts/leg.ts";
import { sipLimits } from "../base/limits.ts";
import { mediaKindOver } from "./media_kind.ts";
import { byRemote, byService, type Ending } from "../contracts/outcome.ts";
import type { MediaKind, MediaLeg } from "../media/mod.ts";
import { createReliableResponses, type ReliableResponses } from "./reliable.ts";
import { hasOption } from "../contracts/session_timer.ts";
import { peerLogin } from "../text/peer_proofs.ts";
import { hidesCaller, hidesSession } from "../text/privacy.ts";
import { isSips } from "../text/secure.ts";
import { originOf } from "../text/origin.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { userOf } from "../text/uri.ts";
import { WiredLeg } from "./wired_leg.ts";

/** 487: the call is canceled, and no proxy tries another way. */
const ENDED_BY_US = 487;

/** The leg of an INVITE that was let in (RFC 3261 §13.3). */
export function createInboundLeg(signalling: Signalling, call: InboundCall): InboundLeg {
  const state: InboundState = {
    signalling,
    call,
    over: createLegEnd(),
    released: Promise.withResolvers(),
    answered: Promise.withResolvers(),
    dialog: undefined,
    media: undefined,
    answeredAt: undefined,
    preparing: undefined,
    answering: undefined,
    rang: false,
    earlySdp: "",
    reliable: reliableFor(
      signalling,
      call.request.message,
      () => refuse(state, 504, byService("no-ack")),
    ),
    wiring: { ...createWiring(), ...call.ussdOffer !== undefined && { onContent: undefined } },
  };
  const onFlowLost = (gone: Flow) => {
    // A softphone can be answered by its connection alone, and a server by another one (§18.2.2).
    const isOver = state.answeredAt === undefined &&
      (state.dialog?.hop ?? call.trunk) === undefined;
    if (gone === call.flow && isOver) lost(state, "connection-lost");
  };
  call.request.delegate = {
    onCancel: guard(signalling.log, (message) => {
      refuse(state, 487, byRemote("cancel", message.getHeader("reason")));
    }),
  };
  const stopWatching = signalling.flowWatchers.add(onFlowLost);
  const stopExpiry = expire(state);
  void state.answered.promise.then(stopExpiry);
  void state.over.ended.then(() => {
    stopWatching();
    state.answered.resolve(false);
    state.reliable?.stop();
    state.media?.close();
  });
  // A refusal waits for its ACK; after BYE, the INVITE is not repeated any more.
  void state.released.promise.then(() => {
    if (state.answeredAt !== undefined) forgetTransaction(call.request);
  });
  return new InboundLegOfState(state);
}

/** Ends an unanswered INVITE when it expires (RFC 3261 §13.3.1); the result stops it. */
function expire(state: InboundState): () => void {
  const { signalling: { timers, log }, call: { request: { message } } } = state;
  const [, seconds] = /^\s*(\d{1,6})\s*$/.exec(message.getHeader("expires") ?? "") ?? [];
  if (!Number(seconds)) return () => {};
  return timers.after(
    Number(seconds) * 1000,
    guard(log, () => refuse(state, 487, byService("timeout"))),
  );
}

class InboundLegOfState extends WiredLeg implements InboundLeg {
  readonly direction = "inbound";
  readonly callerUser: string;
  readonly id: string;
  readonly accountSid: string;
  readonly sipCallId: string;
  readonly offer: string;
  readonly flow: Flow;
  readonly mediaKind: MediaKind;
  readonly demands: CallerDemands;
  readonly maxForwards: number;
  readonly ended: Promise<Ending>;
  readonly signal: AbortSignal;
  readonly released: Promise<void>;
  readonly whenAnswered: Promise<boolean>;
  readonly isUssd: boolean;
  readonly #state: InboundState;

  constructor(state: InboundState) {
    const { call, over, released } = state;
    const { message } = call.request;
    super(state.wiring);
    this.#state = state;
    this.callerUser = call.login === undefined || call.login === peerLogin
      ? userOf(message.from.uri)
      : call.login;
    this.id = call.id;
    this.accountSid = call.accountSid;
    this.sipCallId = message.callId;
    this.offer = message.body;
    this.flow = call.flow;
    this.mediaKind = mediaKindOver(call.flow);
    this.demands = demandsOf(message);
    this.maxForwards = message.parseHeader("max-forwards") ?? sipLimits.maxForwards;
    this.ended = over.ended;
    this.signal = over.signal;
    this.released = released.promise;
    this.whenAnswered = state.answered.promise;
    this.isUssd = call.ussdOffer !== undefined;
  }
  get answeredAt() {
    return this.#state.answeredAt;
  }
  get media() {
    return this.#state.answeredAt === undefined ? undefined : this.#state.media;
  }
  get dialog() {
    return this.#state.dialog;
  }
  anchor(media: MediaLeg) {
    anchorAt(this.#state, media);
  }
  acceptUssd() {
    acceptUssd(this.#state);
  }
  ring() {
    if (!this.#state.rang) progress(this.#state, 180, "");
  }
  progress(status: number, sdp: string) {
    progress(this.#state, status, sdp);
  }
  early() {
    return early(this.#state);
  }
  answer(headers?: string[]) {
    return this.#state.answering ??= answer(this.#state, headers);
  }
  answerWith(sdp: string, headers?: string[]) {
    accept(this.#state, sdp, headers);
  }
  hangup(
    { status = ENDED_BY_US, cause, headers = [], content }: Parameters<InboundLeg["hangup"]>[0] =
      {},
  ) {
    const state = this.#state;
    if (state.over.signal.aborted) return;
    const why = byService(cause ?? "hangup");
    if (state.answeredAt === undefined) refuse(state, status, { headers, ...why });
    else bye(state, { outcome: "completed", ...why }, { content });
  }
}

const demandsOf = (message: IncomingRequestMessage): CallerDemands => ({
  isHidden: hidesCaller(message),
  hidesSession: hidesSession(message),
  isSecure: isSips(originOf(message).target),
});

function reliableFor(
  { timers }: Signalling,
  message: IncomingRequestMessage,
  onSilence: () => void,
): ReliableResponses | undefined {
  if (!hasOption(message, "require", "100rel")) return undefined;
  return createReliableResponses({ timers, cseq: message.cseq, onSilence });
}
