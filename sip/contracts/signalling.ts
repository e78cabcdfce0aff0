import type { IncomingRequestMessage, UserAgentCore } from "../base/sip_js.ts";
import type { Admission } from "../base/admission.ts";
import type { CallTraces } from "../base/call_traces.ts";
import type { Dialog } from "./dialog.ts";
import type { Flow } from "../base/flow.ts";
import type { ShortLivedSet } from "../../core/base/short_lived_map.ts";
import type { Location } from "../text/location.ts";
import type { IsOwn } from "../text/own_address.ts";
import type { LegNames } from "../text/leg_names.ts";
import { sipLimits } from "../base/limits.ts";
import type { Log } from "../base/log.ts";
import type { PeerProofs } from "../text/peer_proofs.ts";
import type { Relayed } from "./relayed.ts";
import type { Refusal } from "../base/refusal.ts";
import type { SessionBounds } from "./session_timer.ts";
import type { Shortages } from "../base/shortages.ts";
import type { Timers } from "../base/timers.ts";
import type { Routes } from "../transport/routes.ts";
import type { TrunkHolds } from "./trunk_holds.ts";
import type { TrunkSources } from "./trunk_sources.ts";

/** Time limits of a USSD dialogue, in ms. */
export type UssdBounds = Record<keyof typeof sipLimits.ussd, number>;

/** Makes the ICE servers of a Client, with credentials that are good for a time. */
export type IceServersOf = (login: string) => readonly object[];

/** Relay of the audio of two phones that are no browsers. */
export type MediaRelay = "auto" | "always" | "never";

/** Shared state of everything that sends and receives SIP. */
export interface Signalling {
  core: UserAgentCore;
  domain: string;
  /** True when an address is one of our domain; only the domain itself until the listeners are open. */
  isOwn: IsOwn;
  location: Location;
  admission: Admission;
  timers: Timers;
  log: Log;
  sessionBounds: SessionBounds;
  /** Time that a dialog waits for a softphone whose connection is lost, in ms. */
  reconnectGraceMs: number;
  ussdBounds: UssdBounds;
  /** Proofs between this companion and others. */
  peers: PeerProofs;
  /** Names of the legs of one companion at another. */
  legNames: LegNames;
  /** Calls of other companions with devices here, by the ids of both their legs. */
  relayed: Map<string, Relayed>;
  /** The messages of live calls. */
  traces: CallTraces;
  /** The ways out to peers that did not come to us. */
  routes: Routes;
  /** Trunks that may send calls to numbers. */
  sources: TrunkSources;
  /** Shortages of this machine. */
  shortages: Shortages;
  /** Servers of trunks that are silent or sent Retry-After. */
  holds: TrunkHolds;
  /** The servers by which a Client's browser finds a way for audio. */
  iceServersOf: IceServersOf;
  /** True when customers may have the companion connect to an address. */
  isPublicAddress(address: string): boolean;
  /** Relay of audio between two plain phones. */
  mediaRelay: MediaRelay;
  /** Time that a peer that answers by SIP may send neither RTP nor RTCP, in ms; 0: for ever. */
  rtpTimeoutMs: number;
  /** The dialogs of our legs, by the id that the core gives them. */
  dialogs: Map<string, Dialog>;
  /** Makers of dialogs with callees that ring, by the same id: few send a request before they answer. */
  early: Map<string, () => Dialog | undefined>;
  /** Called for each lost connection, once the time for reconnecting is over. */
  flowWatchers: ShortLivedSet<(lost: Flow) => void>;
  /** Called for each connection at the moment it closes. */
  closeWatchers: ShortLivedSet<(closed: Flow) => void>;
  /** Refusal of a new INVITE before it gets a transaction; undefined until it is set. */
  refuseInvite(message: IncomingRequestMessage): Refusal | undefined;
  /** Answers a REGISTER, once it is set. */
  onRegister(message: IncomingRequestMessage): void;
  /** A connection closed: its bindings go, its dialogs wait for the softphone to come back. */
  loseFlow(flow: Flow): void;
}
