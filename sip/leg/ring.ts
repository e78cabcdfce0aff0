import { steadyNow } from "../../core/base/steady_clock.ts";
import type { IncomingReferRequest } from "../base/sip_js.ts";
import type { Target } from "../../core/protocol/script.ts";
import { createDeviceFork, type ReachableDevice } from "./device_fork.ts";
import { adoptDialog } from "./adopt_dialog.ts";
import type { Dialog, DialogPeer } from "../contracts/dialog.ts";
import type { Answer, EarlyCallee, Fork, ForkRefusal } from "../contracts/fork.ts";
import { refusedOffer } from "./refused_offer.ts";
import { forkInvite } from "./fork_invite.ts";
import { createWiring, inDialogEvents } from "./in_dialog.ts";
import type { Binding, Flows } from "../text/location.ts";
import { knownSources } from "./known_sources.ts";
import { mediaKindOf, otherKind } from "./media_kind.ts";
import type { LegOptions, MediaKind, MediaLeg, Secure } from "../media/mod.ts";
import { watchMedia } from "./watch_media.ts";
import { offerAgain } from "./offer_again.ts";
import { createPeerFork } from "./peer_fork.ts";
import { reopened, someClosed } from "../registrar/path.ts";
import { sipLimits } from "../base/limits.ts";
import { Refused } from "../base/refused.ts";
import { isSecureUri, securedDevices } from "../text/secure.ts";
import {
  bestStatus,
  byRemote,
  byService,
  refusedEnding,
  refusesMedia,
  unfollowed,
  unfollowedWords,
} from "../contracts/outcome.ts";
import {
  bye,
  cancelForks,
  closeMedia,
  finish,
  type OutboundCall,
  type OutboundState,
} from "./outbound_state.ts";

type ClientTarget = Extract<Target, { kind: "client" }>;

/** Reason of the CANCEL to a device when another has answered (RFC 3326). */
export const answeredElsewhere = 'SIP;cause=200;text="Call completed elsewhere"';

/** Reason of the CANCEL when the callee has declined at another device. */
const declinedElsewhere = (status: number): string =>
  `SIP;cause=${status};text="Call declined elsewhere"`;

/** Sends the INVITE to every device, and handles their responses. */
export async function ring(
  state: OutboundState,
  target: ClientTarget,
): Promise<void> {
  const { signalling, call, callId, over } = state;
  const { login } = target;
  const { isSecure } = call.demands;
  const peers = (target.peers ?? []).filter(({ sipUri }) => !isSecure || isSecureUri(sipUri));
  const isMeant = ([binding]: Flows) =>
    call.only === undefined || mediaKindOf(binding) === call.only;
  const meant = (devices: Flows[]) => securedDevices(devices, isSecure).filter(isMeant);
  let known = meant(signalling.location.devices(login));
  const isReachable = known.length + peers.length > 0;
  if (isReachable || call.isChild) call.onInviting(callId);
  if (someClosed(known)) known = meant(await reopened(signalling, login));
  if (known.length + peers.length === 0) {
    const reason = "not-registered";
    const why = byService("unreachable");
    return finish(state, { outcome: "failed", sipStatus: 480, reason, ...why });
  }
  const invite = forkInvite(signalling.domain, call, callId);
  const { leg, accountSid } = call.invitation;
  const named = { login, demands: call.demands, leg: { leg, accountSid } };
  const devices = await withMedia(state, known);
  const offered = await Promise.all(
    peers.map(async (peer) => ({ peer, ...await offerTo(call, "webrtc") })),
  );
  const peerFork = (one: typeof offered[number]) =>
    createPeerFork(signalling, invite, { ...named, ...one });
  // This companion does not know which media a device at another one takes: a desk phone has only RTP.
  const hasPlain = "engine" in call.media && !isSecure;
  const toPeer = (one: typeof offered[number]) =>
    hasPlain
      ? offerAgain(peerFork(one), async () => peerFork({ ...one, ...await offerTo(call, "rtp") }))
      : peerFork(one);
  state.forks = [
    ...devices.map((device) => createDeviceFork(signalling, invite, device)),
    ...offered.map(toPeer),
  ];
  if (over.signal.aborted) return closeMedia(state);
  for (const fork of state.forks) sendTo(state, fork);
}

/** Sends one INVITE, and handles its responses. */
export function sendTo(state: OutboundState, fork: Fork): void {
  fork.send({
    onEarly: (early) => adoptEarly(state, fork, early),
    onProgress: (status, sdp) => onProgress(state, fork, { status, sdp }),
    onAnswer: (answer) => onAnswer(state, fork, answer),
    onRefused(refusal) {
      state.responseHeaders = refusal.headers;
      onRefused(state, fork, refusal);
    },
  });
}

/** The devices that media could be had for; rejects when there is none. */
async function withMedia(
  { signalling: { log }, call }: OutboundState,
  known: Flows[],
): Promise<ReachableDevice[]> {
  const offers = await Promise.allSettled(known.map(async (flows) => {
    const kind = mediaKindOf(flows[0]);
    const [{ flow }] = flows;
    const sources = knownSources(flows.map(({ flow }) => flow));
    const host = nearMediaOf(flows[0]);
    // Only over an encrypted transport, since the SDP has the keys (RFC 4568 §8.3).
    const isSecured = kind === "rtp" && flow.transport.protocol === "TLS" && "engine" in call.media;
    const ways: { kind: MediaKind; secure?: Secure }[] = isSecured
      ? [{ kind, secure: "either" }, { kind, secure: "dtls" }]
      : [{ kind }];
    if (isSecured && !call.demands.isSecure) ways.push({ kind });
    const other = "engine" in call.media ? otherKind(flows[0], kind) : undefined;
    if (other !== undefined) ways.push({ kind: other });
    const offerNext = async () => {
      const { kind: next = kind, secure } = ways.shift() ?? {};
      // The next call offers another kind first than the refused one.
      if (next !== kind) flow.mediaKind = next;
      const near = host === undefined ? {} : { host };
      return await offerTo(call, next, { sources, ...near, ...secure && { secure } });
    };
    const first = await offerNext();
    return { flows, ...first, another: () => ways.length === 0 ? undefined : offerNext() };
  }));
  const devices = offers.flatMap((offer) => offer.status === "fulfilled" ? offer.value : []);
  const failure = offers.find((offer) => offer.status === "rejected");
  if (failure === undefined) return devices;
  if (devices.length === 0) throw failure.reason;
  const { leg } = call.invitation;
  log("Cannot offer media to every device", { leg, error: String(failure.reason) });
  return devices;
}

/** Media address for a device on a near network; undefined behind a proxy. */
const nearMediaOf = ({ flow, path }: Binding): string | undefined =>
  path.length === 0 ? flow.local.mediaHost : undefined;

/** The offer to a callee: media of the companion, or the caller's. */
export async function offerTo(
  { media, invitation }: OutboundCall,
  kind: MediaKind,
  options?: LegOptions,
): Promise<Pick<ReachableDevice, "offer" | "media">> {
  if (invitation.ussd !== undefined) return { offer: "", media: undefined };
  if ("offer" in media) return { offer: media.offer, media: undefined };
  const { accountSid } = invitation;
  const ours = await media.engine.offer(kind, { accountSid, ...options });
  return { offer: ours.localSdp, media: ours };
}

/** Takes a provisional response. */
export function onProgress(
  state: OutboundState,
  { media, flow }: Fork,
  { status, sdp }: { status: number; sdp: string },
): void {
  if (state.winner !== undefined || state.over.signal.aborted) return;
  if (!state.ringing) state.call.onRinging();
  state.ringing = true;
  // Several devices would each answer the caller's one offer with SDP of their own.
  const earlySdp = state.forks.length === 1 ? sdp : "";
  state.call.onProgress?.(status, { sdp: earlySdp, flow });
  const { onEarlyMedia } = state.call;
  if (earlySdp === "" || media === undefined || onEarlyMedia === undefined) return;
  state.early ??= media.accept(earlySdp, true).then(() => onEarlyMedia(media)).catch(() => {});
}

/** Takes a refusal; the last one ends the leg, or a 6xx, which is for all devices (§16.7 step 5). */
export function onRefused(
  state: OutboundState,
  fork: Fork,
  { status, warning, words = "", isUnanswered = false }: ForkRefusal,
): void {
  fork.media?.close();
  if (!state.refusals.has(status)) state.refusals.set(status, { words, isUnanswered });
  if (refusesMedia(status)) state.unwanted = refusedOffer({ status, warning, offer: fork.offer });
  if (state.winner !== undefined || state.over.signal.aborted) return;
  if (status >= 600) cancelForks(state, declinedElsewhere(status));
  else if (!state.forks.every(({ over }) => over)) return;
  const best = bestStatus([...state.refusals.keys()]);
  const { unwanted } = state;
  finish(state, refusedEnding(best, { ...state.refusals.get(best), unwanted }));
}

/** Takes a 2xx. */
export function onAnswer(state: OutboundState, fork: Fork, answer: Answer): void {
  if (state.winner !== undefined || state.over.signal.aborted) {
    return refuseAnswer(state, fork, answer);
  }
  state.winner = fork;
  state.stopTimeout();
  cancelForks(state, answeredElsewhere);
  for (const other of state.forks) if (other !== fork) other.media?.close();
  const { leg } = state.call.invitation;
  state.dialog = adopt(state, answer, {
    leg,
    flow: fork.flow,
    trunk: fork.trunk,
    events: dialogEvents(state, fork.media),
  });
  state.dialog.localSdp = answer.later()?.answer ?? fork.offer;
  state.dialog.timer.restart(answer.agreement);
  state.responseHeaders = answer.headers;
  void takeAnswer(state, fork, answer);
}

/**
 * A CANCEL crossed this answer, or a proxy forked the INVITE to several who answered: it was accepted,
 * so it is ended with BYE (§13.2.2.4).
 */
export function refuseAnswer(state: OutboundState, fork: Fork, answer: Answer): void {
  const { flow, media, trunk } = fork;
  const over = () => Promise.reject(new Refused("change a call that is over", 488));
  const events = {
    ...inDialogEvents(createWiring(), () => undefined),
    onBye() {},
    onLost() {},
    onUnfollowed() {},
    onOffer: over,
    onInfo: over,
  };
  void adopt(state, answer, { leg: "", flow, trunk, events }).bye();
  if (fork !== state.winner) media?.close();
}

function adopt(
  { signalling, call: { invitation, demands } }: OutboundState,
  { session, knowsUpdate }: Pick<Answer, "session" | "knowsUpdate">,
  peer: Pick<DialogPeer, "leg" | "flow" | "trunk" | "events">,
): Dialog {
  const { target } = invitation;
  const login = target.kind === "client" ? target.login : undefined;
  const { isSecure } = demands;
  return adoptDialog(signalling, session, { ...peer, isSecure, knowsUpdate, login });
}

/**
 * Takes what a callee says before it answers, an offer too (RFC 3311 §5.2): it may offer once its answer to
 * ours came reliably (RFC 6337 §2.2).
 */
export function adoptEarly(state: OutboundState, fork: Fork, early: EarlyCallee): Dialog {
  const { flow, trunk } = fork;
  const { leg } = state.call.invitation;
  let answered: Promise<void> | undefined;
  const follow = async (media: MediaLeg, said: { answer: string; offer: string }) => {
    await (answered ??= media.accept(said.answer));
    const sdp = await media.reanswer(said.offer);
    early.onOffered(said.offer, sdp);
    return { sdp };
  };
  const events = {
    ...inDialogEvents(state.wiring, () => fork.media),
    onBye() {},
    onLost() {}, // The fork sees to that.
    onUnfollowed() {},
    onRefer: (request: IncomingReferRequest) => void request.reject({ statusCode: 403 }),
    onNotify: () => false,
    async onOffer(offer: string | undefined) {
      const { media } = fork;
      const answer = early.answer();
      // Our offer is not answered, or the media are not ours. A 4xx but 491 could end the call.
      if (media === undefined || answer === undefined || offer === undefined) {
        throw new Refused("change a call that rings", 491);
      }
      const before = state.early ?? Promise.resolve();
      const following = before.then(() => follow(media, { answer, offer }));
      // A 2xx that crosses the offer waits for it (`takeAnswer`).
      state.early = following.then(() => {}, () => {});
      return await following;
    },
  };
  return adopt(state, early, { leg, flow, trunk, events });
}

async function takeAnswer(
  state: OutboundState,
  { media }: Fork,
  answer: Answer,
): Promise<void> {
  try {
    if (state.early !== undefined) await state.early;
    const later = answer.later();
    state.remoteSdp = later?.offer ?? answer.sdp;
    // The SDP that a 2xx may repeat does not change an agreement by UPDATE (RFC 3261 §13.2.1).
    if (later === undefined) await media?.accept(answer.sdp);
  } catch (error) {
    const { signalling: { log }, call: { invitation: { leg } } } = state;
    log("Cannot process the answer to a call", { leg, error: String(error) });
    const ending = { ...refusedEnding(488), ...unfollowed(error) };
    return bye(state, ending, unfollowedWords);
  }
  if (state.over.signal.aborted) return;
  if (media !== undefined) watch(state, media);
  void media?.unknownSource.then((address) => state.wiring.onUnknownSource?.(address));
  state.answeredAt = steadyNow();
  state.answered.resolve(true);
}

/** Takes media that the callee agreed to after its answer, whose SDP had passed to the caller. */
export function anchorAt(state: OutboundState, media: MediaLeg): void {
  if (state.over.signal.aborted) return media.close();
  state.anchored = media;
  watch(state, media);
}

function watch(state: OutboundState, media: MediaLeg): void {
  const { rtpTimeoutMs } = state.signalling;
  const onLost = (why: string) => mediaLost(state, why);
  watchMedia(media, { dialog: () => state.dialog, rtpTimeoutMs, onLost });
}

/** A browser that hangs up may close its media a moment before its BYE comes. */
function mediaLost(state: OutboundState, why: string): void {
  const { signalling: { timers, log }, call: { invitation: { leg } } } = state;
  const lose = () => {
    log("Lost the media of a leg", { leg, why });
    bye(state, { outcome: "completed", reason: "media-lost", ...byService("media-lost", why) });
  };
  const stop = timers.after(sipLimits.byeGraceMs, lose);
  void state.over.ended.then(stop);
}

function dialogEvents(state: OutboundState, media: MediaLeg | undefined): DialogPeer["events"] {
  const requests = inDialogEvents(state.wiring, () => state.anchored ?? media);
  return {
    ...requests,
    async onOffer(sdp, signal) {
      // It may come right behind the answer, which our media have not taken yet.
      await state.answered.promise;
      return await requests.onOffer(sdp, signal);
    },
    onBye(reason) {
      finish(state, { outcome: "completed", ...byRemote("bye", reason) });
      state.released.resolve();
    },
    onLost: (cause) => bye(state, { outcome: "completed", ...byService(cause) }),
    onUnfollowed: (error) =>
      bye(state, { outcome: "completed", ...unfollowed(error) }, unfollowedWords),
  };
}
