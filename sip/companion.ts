import { bridgeLimits, type Companion as CompanionName, type Heartbeat } from "../core/bridge.ts";
import type { AdmissionBounds } from "./admission.ts";
import type { Authenticator } from "./authenticate.ts";
import { type Calls, createCalls } from "./calls.ts";
import { listenControl } from "./control.ts";
import { createCredentialsCache } from "./credentials.ts";
import { createNonces } from "./digest.ts";
import type { Endpoint, Protocol } from "./flow.ts";
import { onInvite, refuseAtOnce } from "./invite.ts";
import { sipLimits } from "./limits.ts";
import { listenSip, type SipListener, type TransportOptions } from "./listen.ts";
import { describeBinding } from "./location.ts";
import { createLockout } from "./lockout.ts";
import type { LoadAudio, MediaEngine } from "./media/port.ts";
import { createNews } from "./news.ts";
import { createPresence, type Presence } from "./presence.ts";
import { receive } from "./receive.ts";
import { invalidate, invalidateAll, onRegister } from "./registrar.ts";
import { createServiceLink, type ServiceLink } from "./service_link.ts";
import type { SessionBounds } from "./session_timer.ts";
import { createSignalling, type Log, type Signalling } from "./signalling.ts";
import { createTimers, type Timers } from "./timers.ts";

export interface CompanionOptions {
  sipHost: string;
  /** Of WebSocket; 0 lets the system choose. */
  sipPort: number;
  /** The other ways in, and what they need; without it there are none. */
  transports?: TransportOptions;
  bridgeHost: string;
  bridgePort: number;
  serviceUrl: string;
  bridgeSecret: string;
  /** Where the service reaches the control; the address it listens on unless given. */
  bridgeUrl?: string;
  /** The realm, and the host of every address of ours; in lower case, however it is written. */
  sipDomain: string;
  /** Offers SHA-256 to phones over every transport; else over WebSocket alone. */
  sha256Everywhere?: boolean;
  /** Names this companion to the service, start after start. */
  id: string;
  media: MediaEngine;
  loadAudio: LoadAudio;
  log: Log;
  /** What strangers may take from one address; `sipLimits.admission` unless given. */
  admission?: Partial<AdmissionBounds>;
  /** How long a dialog outlives its connection; `sipLimits.reconnectGraceMs` unless given. */
  reconnectGraceMs?: number;
  /** Of session timers; `sipLimits.sessionExpiresS` and `sessionExpiresMinS` unless given. */
  sessionBounds?: SessionBounds;
}

const defaultSessionBounds: SessionBounds = {
  expiresS: sipLimits.sessionExpiresS,
  minSeS: sipLimits.sessionExpiresMinS,
};

export interface Companion {
  readonly sipUrl: string;
  /** Where each transport is listened for. */
  readonly sipAddresses: ReadonlyMap<Protocol, Endpoint>;
  readonly bridgeUrl: string;
  /** New at every start. */
  readonly runId: string;
  /** Ends every call, delivers what is left to report within `stopMs`, and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the companion: SIP for softphones on one side, the bridge to the service on the other.
 * Rejects when it cannot listen.
 */
export async function startCompanion(options: CompanionOptions): Promise<Companion> {
  const name: CompanionName = { id: options.id, runId: crypto.randomUUID() };
  const life = {
    timers: createTimers(),
    stopping: new AbortController(),
    stopped: new AbortController(),
  };
  const { timers, stopping, stopped } = life;
  const parts = assemble(options, name, life);
  const { calls, signalling } = parts;
  const sip = await openSip(options, signalling);
  signalling.routes = sip;
  let control: ReturnType<typeof listenControl>;
  try {
    control = listenControl({
      hostname: options.bridgeHost,
      port: options.bridgePort,
      bridgeSecret: options.bridgeSecret,
      companion: name,
      ...parts,
      invalidate: (logins) =>
        invalidate(signalling.location, parts.authenticator.credentials, logins),
      bindings: (login) => signalling.location.find(login).map(describeBinding),
    });
  } catch (error) {
    await sip.close();
    throw error;
  }
  let unheard = 0;
  const self = { companion: name, bridgeUrl: options.bridgeUrl ?? control.url };
  const beat = async () => {
    if (stopping.signal.aborted) return;
    const problem = await sendHeartbeat(parts, self);
    unheard = problem === null ? 0 : unheard + 1;
    // The service may start a moment after us: the first misses are no news.
    if (unheard === sipLimits.heartbeatMisses) {
      options.log("The service does not hear us", { problem });
    }
    const pauseMs = unheard === 0 ? bridgeLimits.heartbeatMs : sipLimits.heartbeatRetryMs;
    timers.after(pauseMs, beat);
  };
  void beat();
  parts.presence.tellAll();

  const stop = async () => {
    stopping.abort();
    const parting = calls.endAll().then(() => sendHeartbeat(parts, { ...self, isLast: true }));
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
    stop: () => stopOnce ??= stop(),
  };
}

function openSip(
  { sipHost, sipPort, transports, log }: CompanionOptions,
  signalling: Signalling,
): Promise<SipListener> {
  const { domain, timers } = signalling;
  const ports = { ...transports?.ports, WS: sipPort };
  return listenSip({ ...transports, hostname: sipHost, ports, domain, timers, log }, {
    onConnect: signalling.admission.connect,
    onMessage: (flow, text) => receive(signalling, flow, text),
    onClose: (flow) => signalling.loseFlow(flow),
  });
}

/** The parts that need no port, wired to each other. */
interface Parts {
  signalling: Signalling;
  link: ServiceLink;
  authenticator: Authenticator;
  calls: Calls;
  presence: Presence;
  /** Whether new calls are taken. */
  accepting(): boolean;
}

function assemble(
  options: CompanionOptions,
  companion: CompanionName,
  life: { timers: Timers; stopping: AbortController; stopped: AbortController },
): Parts {
  const { log, media, loadAudio } = options;
  const sipDomain = options.sipDomain.toLowerCase();
  const { timers } = life;
  const [stopping, stopped] = [life.stopping.signal, life.stopped.signal];
  const signalling = createSignalling(sipDomain, {
    timers,
    log,
    reconnectGraceMs: options.reconnectGraceMs ?? sipLimits.reconnectGraceMs,
    sessionBounds: options.sessionBounds ?? defaultSessionBounds,
    admission: options.admission ?? {},
  });
  const link = createServiceLink({ ...options, timers, stopped });
  const authenticator: Authenticator = {
    realm: sipDomain,
    nonces: createNonces(sipDomain),
    sha256Everywhere: options.sha256Everywhere ?? false,
    lockout: createLockout(),
    credentials: createCredentialsCache(link),
  };
  const reporting = { companion, link, tell: createNews(link), stopping, stopped };
  const calls = createCalls({ ...reporting, signalling, media, loadAudio });
  const { location } = signalling;
  const presence = createPresence({ companion, link, location, timers, log, stopped });
  location.onPresence = presence.changed;
  const accepting = () => !stopping.aborted;
  const failed = (error: unknown) => log("Cannot answer a request", { error: String(error) });
  signalling.core.delegate = {
    onInvite: (request) =>
      void onInvite({ calls, authenticator, accepting }, request).catch(failed),
  };
  signalling.refuseInvite = (message) => refuseAtOnce({ authenticator, accepting }, message);
  signalling.onRegister = (message) =>
    void onRegister(signalling, authenticator, message).catch(failed);
  return { signalling, link, authenticator, calls, presence, accepting };
}

/** Tells the service that we live, and with what; resolves with what went wrong, if anything. */
async function sendHeartbeat(
  { link, calls, presence, authenticator, signalling: { location } }: Parts,
  self: Pick<Heartbeat, "companion" | "bridgeUrl" | "isLast">,
): Promise<string | null> {
  location.sweep();
  const legs = calls.unsettled().map(({ id, accountSid }) => ({ leg: id, accountSid }));
  try {
    const registered = location.registered();
    const { wantsPresence } = await link.heartbeat({ ...self, legs, registered });
    if (wantsPresence) {
      // It had lost us: orders that it gave did not come.
      presence.tellAll();
      void invalidateAll(location, authenticator.credentials);
    }
    return null;
  } catch (error) {
    return String(error);
  }
}
