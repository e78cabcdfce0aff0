import type { IncomingRequestMessage, UserAgentCore } from "sip.js/lib/core/index.js";
import { type Admission, type AdmissionBounds, createAdmission } from "./auth/admission.ts";
import { clientAuthentication } from "./auth/client_authentication.ts";
import type { Dialog } from "./dialog/dialog.ts";
import { type Flow, withFlow } from "./flow.ts";
import { createLooseSet, LooseMap, type LooseSet } from "./loose_map.ts";
import { createLocation, type Location } from "./registrar/location.ts";
import type { IceServersOf } from "./registrar/ice_header.ts";
import type { IsOwn } from "./own_address.ts";
import { createLegNames, type LegNames } from "./peer/leg_names.ts";
import type { MediaRelay } from "./leg/media_relay.ts";
import { sipLimits } from "./limits.ts";
import { createPeerProofs, peerLogin, type PeerProofs } from "./peer/peers.ts";
import type { Relayed } from "./peer/relayed.ts";
import type { Refusal } from "./refusal.ts";
import type { SessionBounds } from "./dialog/session_timer.ts";
import type { Timers } from "./timers.ts";
import type { Routes } from "./transport/routes.ts";
import { createTrunkHolds, type TrunkHolds } from "./trunk/trunk_holds.ts";
import { noSources, type TrunkSources } from "./trunk/trunk_sources.ts";
import { createCore } from "./user_agent_core.ts";

/** How long each of a USSD dialogue's waits may take, in milliseconds. */
export type UssdBounds = Record<keyof typeof sipLimits.ussd, number>;

export type Log = (line: string, fields?: Record<string, unknown>) => void;

/** What everything that sends and receives SIP shares. */
export interface Signalling {
  core: UserAgentCore;
  domain: string;
  /** Whether an address counts as one of our domain; only the domain itself does until we listen. */
  isOwn: IsOwn;
  location: Location;
  admission: Admission;
  timers: Timers;
  log: Log;
  sessionBounds: SessionBounds;
  ussdBounds: UssdBounds;
  /** How other companions know us, and we them. */
  peers: PeerProofs;
  /** How the legs of one companion are called at another. */
  legNames: LegNames;
  /** Calls of other companions with devices here, by the ids of both their legs. */
  relayed: Map<string, Relayed>;
  /** The ways out to peers that did not come to us. */
  routes: Routes;
  /** Who may send us calls for numbers. */
  sources: TrunkSources;
  /** Trunks that want to be left alone. */
  holds: TrunkHolds;
  /** The servers by which a Client's browser finds a way for audio. */
  iceServersOf: IceServersOf;
  /** Whether customers may have us connect to an address. */
  isPublicAddress(address: string): boolean;
  /** Whether audio between two plain phones goes by us. */
  mediaRelay: MediaRelay;
  /** The dialogs of our legs, by the id that the core gives them. */
  dialogs: Map<string, Dialog>;
  /** Told of every connection that is gone for good, after the grace for coming back. */
  flowWatchers: LooseSet<(lost: Flow) => void>;
  /** Told of every connection at the moment it closes. */
  closeWatchers: LooseSet<(closed: Flow) => void>;
  /** What a new INVITE is refused with before it gets a transaction; nothing until it is set. */
  refuseInvite(message: IncomingRequestMessage): Refusal | undefined;
  /** Answers a REGISTER; nobody does until it is set. */
  onRegister(message: IncomingRequestMessage): void;
  /** A connection closed: its bindings go, its dialogs wait for the softphone to come back. */
  loseFlow(flow: Flow): void;
}

export interface SignallingOptions {
  timers: Timers;
  log: Log;
  reconnectGraceMs: number;
  sessionBounds: SessionBounds;
  /** `sipLimits.ussd` where nothing is given. */
  ussdBounds?: Partial<UssdBounds>;
  admission?: Partial<AdmissionBounds>;
  /** None unless given. */
  iceServersOf?: IceServersOf;
  /** `auto` unless given. */
  mediaRelay?: MediaRelay;
  /** None is unless given. */
  isPublicAddress?: (address: string) => boolean;
  /** What companions of one installation share; without it there is no other one. */
  bridgeSecret?: string;
}

export function createSignalling(domain: string, options: SignallingOptions): Signalling {
  const location = createLocation();
  const { timers, log, reconnectGraceMs, sessionBounds, admission: bounds = {} } = options;
  const { isPublicAddress = () => false, bridgeSecret = crypto.randomUUID() } = options;
  const flowWatchers = createLooseSet<(lost: Flow) => void>();
  const closeWatchers = createLooseSet<(closed: Flow) => void>();
  const dialogs = new LooseMap<string, Dialog>();
  const isKnown = (flow: Flow) => flow.logins.size > 0 || signalling.sources.knows(flow);
  const signalling: Signalling = {
    core: createCore(domain, {}, () => clientAuthentication(dialogs)),
    domain,
    isOwn: (uri) => uri.host.toLowerCase() === domain,
    location,
    admission: createAdmission({ bounds, isKnown }),
    timers,
    log,
    sessionBounds,
    peers: createPeerProofs(bridgeSecret),
    legNames: createLegNames(bridgeSecret),
    relayed: new Map(),
    ussdBounds: { ...sipLimits.ussd, ...options.ussdBounds },
    routes: { resolve: notListening, open: notListening, reach: notListening },
    sources: noSources,
    holds: createTrunkHolds(),
    iceServersOf: options.iceServersOf ?? (() => []),
    isPublicAddress,
    mediaRelay: options.mediaRelay ?? "auto",
    dialogs,
    flowWatchers,
    closeWatchers,
    refuseInvite: () => undefined,
    onRegister() {},
    loseFlow(flow) {
      location.dropFlow(flow);
      for (const watch of closeWatchers) watch(flow);
      // A softphone comes back as the same device; the call of a companion cannot.
      const graceMs = flow.logins.has(peerLogin) ? 0 : reconnectGraceMs;
      timers.after(graceMs, () => {
        withFlow(flow, () => [...flowWatchers].forEach((watch) => watch(flow)));
      });
    },
  };
  return signalling;
}

const notListening = () => Promise.reject(new Error("Cannot reach a peer: SIP is not up yet"));

/** A callback for the library that lets no exception escape into its state machines. */
export function guard<A extends unknown[]>(log: Log, callback: (...args: A) => void) {
  return (...args: A): void => {
    try {
      callback(...args);
    } catch (error) {
      log("Cannot handle a SIP event", { error: String(error) });
    }
  };
}

export const sdpBody = (content: string) => ({
  contentDisposition: "session",
  contentType: "application/sdp",
  content,
});
