import { createSharedMedia, type SharedMedia } from "./media_shares.ts";
import type { Companion as CompanionName } from "../core/protocol/companion.ts";
import type { Authenticator } from "./auth/authenticate.ts";
import type { Calls } from "./contracts/calls.ts";
import { createCalls } from "./script/create_calls.ts";
import type { CompanionOptions } from "./companion_options.ts";
import { type Control, listenControl } from "./control.ts";
import { createCredentialsCache } from "./auth/credentials.ts";
import { keepBeating, sendHeartbeat, settled } from "./heartbeat.ts";
import { createNonces } from "./text/digest.ts";
import type { Endpoint, Flow, Protocol } from "./base/flow.ts";
import { createGateways, type Gateways } from "./trunk/gateways.ts";
import { onInvite, refuseAtOnce } from "./script/invite.ts";
import { countMessage } from "./base/count_message.ts";
import { sipLimits } from "./base/limits.ts";
import { gatewayStates, liveLegs, registeredClients } from "./base/metrics.ts";
import { listenSip, type SipListener } from "./transport/listen.ts";
import { describeBinding } from "./text/location.ts";
import { createLockout } from "./base/lockout.ts";
import { onMessage } from "./script/receive_message.ts";
import { createEventSender } from "./service/event_sender.ts";
import { ownAddresses } from "./text/own_address.ts";
import { createPresence, type Presence } from "./registrar/presence.ts";
import { createScriptRequester } from "./service/script_requester.ts";
import { receive } from "./leg/receive.ts";
import { createRecordings } from "./service/recordings.ts";
import { createRelays, type Relays } from "./script/relay.ts";
import { invalidate, onRegister } from "./registrar/registrar.ts";
import { notifyDevices, sendToDevices } from "./script/send_message.ts";
import { readMessage } from "./script/conversation_messages.ts";
import { ownSockets } from "./media/sockets.ts";
import { createServiceLink, type ServiceLink } from "./service/service_link.ts";
import type { SessionBounds } from "./contracts/session_timer.ts";
import { createSignalling } from "./create_signalling.ts";
import type { Signalling } from "./contracts/signalling.ts";
import { createTimers, type Timers } from "./base/timers.ts";
import { sendOutward } from "./script/trunk_message.ts";
import { createTrunkSources } from "./trunk/create_trunk_sources.ts";
import { addressList } from "../core/base/networks.ts";

const defaultSessionBounds: SessionBounds = {
  expiresS: sipLimits.sessionExpiresS,
  minSeS: sipLimits.sessionExpiresMinS,
};

export interface Companion {
  readonly sipUrl: string;
  /** Address of each listener, by transport. */
  readonly sipAddresses: ReadonlyMap<Protocol, Endpoint>;
  readonly bridgeUrl: string;
  /** New at every start. */
  readonly runId: string;
  /** Legs that have not ended, or whose end was not reported yet. */
  liveLegs(): number;
  /** Brings the gauges of legs, Clients and Gateways up to date. */
  showGauges(): void;
  /**
   * Accepts no new calls from now on, which the next heartbeat reports. Resolves when those that there are
   * have ended, after `mostMs`, or when `hurry` aborts.
   * Takes no new calls from now on: INVITEs and orders get 503, and heartbeats say that it drains, so that
   * services place calls at other companions. Where all drain, POST Calls answers 503. Phones stay
   * registered. Resolves when the live calls have ended, after `mostMs`, or when `hurry` aborts.
   */
  drain(mostMs: number, hurry: AbortSignal): Promise<void>;
  /** Ends every call, delivers what is left to report within `stopMs`, and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the companion: SIP for softphones on one side, the call-control protocol on the other.
 * Rejects when it cannot listen.
 */
export async function startCompanion(options: CompanionOptions): Promise<Companion> {
  const name: CompanionName = { id: options.id, runId: crypto.randomUUID() };
  const life = {
    timers: createTimers(),
    draining: new AbortController(),
    stopping: new AbortController(),
    stopped: new AbortController(),
  };
  const { timers, draining, stopping, stopped } = life;
  const parts = assemble(options, name, life);
  const { calls, signalling } = parts;
  const sip = await openSip(options, signalling);
  signalling.routes = sip;
  signalling.isOwn = ownAddresses({ domain: signalling.domain, addresses: sip.addresses });
  const control = await openControl(options, name, parts).catch(async (error) => {
    await sip.close();
    throw error;
  });
  const sipUri = options.sipUri ?? `sip:${new URL(sip.webSocketUrl).host};transport=ws`;
  const self = { companion: name, bridgeUrl: options.bridgeUrl ?? control.url, sipUri };
  keepBeating(parts, self, stopping.signal);
  parts.presence.reportAll();
  parts.gateways.start();

  const stop = async () => {
    draining.abort();
    stopping.abort();
    const ended = Promise.all([calls.endAll(), parts.relays.endAll(), parts.gateways.stop()]);
    const parting = ended.then(() => sendHeartbeat(parts, { ...self, isLast: true }));
    await Promise.race([parting, timers.pause(sipLimits.stopMs)]);
    stopped.abort();
    timers.clear();
    await options.media.close();
    await Promise.all([sip.close(), control.close()]);
    signalling.core.reset();
  };
  let stopOnce: Promise<void> | undefined;
  return {
    sipUrl: sip.webSocketUrl,
    sipAddresses: sip.addresses,
    bridgeUrl: control.url,
    runId: name.runId,
    liveLegs: () => calls.unsettled().length,
    showGauges: () => showGauges(parts),
    drain(mostMs, hurry) {
      draining.abort();
      return settled(parts, self, { mostMs, hurry });
    },
    stop: () => stopOnce ??= stop(),
  };
}

function openControl(
  options: CompanionOptions,
  companion: CompanionName,
  parts: Parts,
): Promise<Control> {
  const { signalling, authenticator, gateways } = parts;
  return listenControl({
    hostname: options.bridgeHost,
    port: options.bridgePort,
    bridgeSecret: options.bridgeSecret,
    companion,
    ...parts,
    onOver: options.onListenerOver,
    log: options.log,
    invalidate: (logins) => invalidate(signalling.location, authenticator.credentials, logins),
    gatewaysChanged: gateways.changed,
    bindings: (login) => signalling.location.find(login).map(describeBinding),
    message: (order) => sendToDevices(signalling, order),
    notification: (order) => notifyDevices(signalling, order),
    outward: (order) => sendOutward(signalling, order),
  });
}

function openSip(
  options: CompanionOptions,
  signalling: Signalling,
): Promise<SipListener> {
  const { sipHost: hostname, sipPort, transports, places, log } = options;
  const { timers } = signalling;
  const ports = { ...transports?.ports, WS: sipPort };
  const isTrustedProxy = addressList(options.trustedProxies ?? []);
  const isKnown = (flow: Flow) => signalling.sources.knows(flow);
  const taking = { places, onOver: options.onListenerOver, isTrustedProxy, isKnown };
  return listenSip({ ...transports, ...taking, hostname, ports, timers, log }, {
    onConnect: signalling.admission.connect,
    onMessage(flow, text) {
      countMessage("received", text);
      receive(signalling, flow, text);
    },
    onSend(flow, text) {
      countMessage("sent", text);
      signalling.traces.keep("sent", { flow, text });
    },
    onClose: (flow) => signalling.loseFlow(flow),
  });
}

/** The parts that need no port, wired to each other. */
interface Parts {
  media: SharedMedia;
  signalling: Signalling;
  link: ServiceLink;
  authenticator: Authenticator;
  calls: Calls;
  relays: Relays;
  presence: Presence;
  gateways: Gateways;
  /** True while new calls are accepted. */
  accepting(): boolean;
}

function signallingOf(options: CompanionOptions, sipDomain: string, timers: Timers): Signalling {
  return createSignalling(sipDomain, {
    timers,
    log: options.log,
    reconnectGraceMs: options.reconnectGraceMs ?? sipLimits.reconnectGraceMs,
    sessionBounds: options.sessionBounds ?? defaultSessionBounds,
    ...options.ussdBounds && { ussdBounds: options.ussdBounds },
    admission: options.admission ?? {},
    ...options.iceServersOf && { iceServersOf: options.iceServersOf },
    ...options.mediaRelay && { mediaRelay: options.mediaRelay },
    rtpTimeoutMs: options.rtpTimeoutMs ?? 0,
    ...options.isPublicAddress && { isPublicAddress: options.isPublicAddress },
    bridgeSecret: options.bridgeSecret,
    tracesCalls: options.tracesCalls ?? true,
  });
}

/** The clock of a companion, and how its end goes on. */
interface Life {
  timers: Timers;
  /** No new calls are taken. */
  draining: AbortController;
  /** All calls end. */
  stopping: AbortController;
  /** Nothing is reported any more. */
  stopped: AbortController;
}

function assemble(
  options: CompanionOptions,
  companion: CompanionName,
  life: Life,
): Parts {
  const { log, loadAudio, recogniser = null, speaker = null } = options;
  const media = createSharedMedia(options.media, options.portPairs ?? 0);
  const { isPublicAddress = () => false, reach = { mayReach: isPublicAddress } } = options;
  const sockets = options.sockets ?? ownSockets(readMessage, reach);
  const sipDomain = options.sipDomain.toLowerCase();
  const { timers, stopping: { signal: stopping }, stopped: { signal: stopped } } = life;
  const signalling = signallingOf(options, sipDomain, timers);
  const link = createServiceLink({ ...options, timers, stopped });
  const authenticator: Authenticator = {
    realm: sipDomain,
    nonces: createNonces(sipDomain),
    sha256Everywhere: options.sha256Everywhere ?? false,
    lockout: createLockout(),
    location: signalling.location,
    credentials: createCredentialsCache(link),
  };
  const requestScript = createScriptRequester(link, timers);
  const sendEvent = createEventSender(link);
  const reporting = { companion, requestScript, sendEvent, stopping, stopped };
  const recordings = createRecordings({ link, timers, log, stopping, stopped });
  const sound = { media, loadAudio, recogniser, speaker, recordings, sockets };
  const calls = createCalls({ ...reporting, link, signalling, ...sound });
  const { location } = signalling;
  const presence = createPresence({ companion, link, location, timers, log, stopped });
  location.onPresence = presence.changed;
  const gateways = createGateways(signalling, { companionId: companion.id, link, stopped });
  signalling.sources = createTrunkSources({
    gateways,
    trusted: options.trustedSources ?? [],
    routes: () => signalling.routes,
  });
  const accepting = () => !life.draining.signal.aborted;
  const relays = createRelays({ calls, runId: companion.runId, accepting });
  const failed = (error: unknown) => log("Cannot answer a request", { error: String(error) });
  signalling.core.delegate = {
    onInvite(request) {
      if (relays.takes(request)) return;
      void onInvite({ calls, link, authenticator, accepting }, request).catch(failed);
    },
    onMessage: (request) =>
      void onMessage({ signalling, authenticator, link, accepting }, request).catch(failed),
  };
  signalling.refuseInvite = (message) =>
    refuseAtOnce({ signalling, authenticator, accepting }, message);
  signalling.onRegister = (message) =>
    void onRegister(signalling, authenticator, message)?.catch(failed);
  return { signalling, link, authenticator, calls, media, relays, presence, gateways, accepting };
}

function showGauges({ calls, gateways, signalling: { location } }: Parts): void {
  liveLegs.set(calls.unsettled().length);
  registeredClients.set(location.registered());
  const known = Object.groupBy(
    gateways.all(),
    (keeper) => keeper.trunk() === undefined ? "unregistered" : "registered",
  );
  for (const state of ["registered", "unregistered"] as const) {
    gatewayStates.set({ state }, known[state]?.length ?? 0);
  }
}
