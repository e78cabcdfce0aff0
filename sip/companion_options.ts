import type { BridgeSecret } from "../core/protocol/bridge_secret.ts";
import type { Places } from "../core/machine/net/places.ts";
import type { AdmissionBounds } from "./base/admission.ts";
import type { TransportOptions } from "./transport/listen.ts";
import type { MediaRelay } from "./contracts/signalling.ts";
import type { LoadAudio, MediaEngine, Recogniser, Speaker } from "./media/mod.ts";
import type { Reach, ServerSockets } from "./media/sockets.ts";
import type { IceServersOf } from "./contracts/signalling.ts";
import type { SessionBounds } from "./contracts/session_timer.ts";
import type { Log } from "./base/log.ts";
import type { UssdBounds } from "./contracts/signalling.ts";

/** The listeners, SIP domain and parts of a companion. */
export interface CompanionOptions {
  sipHost: string;
  /** Of WebSocket; 0 lets the system choose. */
  sipPort: number;
  /** The other ways in, and what they need; without it there are none. */
  transports?: TransportOptions;
  bridgeHost: string;
  bridgePort: number;
  serviceUrl: string;
  bridgeSecret: BridgeSecret;
  /** URL of the control for the service; by default the address that it listens on. */
  bridgeUrl?: string;
  /** SIP URI for other companions; by default that of its WebSocket. */
  sipUri?: string;
  /** The realm, and the host of every address of ours; in lower case, however it is written. */
  sipDomain: string;
  /** Offers SHA-256 to phones over every transport; else over WebSocket alone. */
  sha256Everywhere?: boolean;
  /** Names this companion to the service, start after start. */
  id: string;
  media: MediaEngine;
  /** Pairs of RTP ports that tenants share; unbounded unless given. */
  portPairs?: number;
  loadAudio: LoadAudio;
  /** Speech recognition; none unless given. */
  recogniser?: Recogniser;
  /** Text-to-speech; none unless given. */
  speaker?: Speaker;
  log: Log;
  /** Bounds of unauthenticated sources by address; `sipLimits.admission` unless given. */
  admission?: Partial<AdmissionBounds>;
  /** Bounds the connections of all SIP transports together; any number unless given. */
  places?: Places;
  /** Called when connections can be accepted no more, of SIP or of the control. */
  onListenerOver?: (error: Error) => void;
  /** Addresses and networks of reverse proxies, whose WebSockets are those of the clients they name. */
  trustedProxies?: readonly string[];
  /** Addresses and networks whose calls for numbers are taken; none unless given. */
  trustedSources?: readonly string[];
  /** The servers by which a Client's browser finds a way for audio; none unless given. */
  iceServersOf?: IceServersOf;
  /** True when customers may have the companion connect to an address; none unless given. */
  isPublicAddress?: (address: string) => boolean;
  /** Servers of customers that a WebSocket may lead to; public ones unless given. */
  reach?: Reach;
  /** Connections to servers of conversations; by sockets of this thread unless given. */
  sockets?: ServerSockets<unknown>;
  /** True, the default, where traces of failed calls are sent to the service. */
  tracesCalls?: boolean;
  /** Relay of audio between two plain phones; `auto` unless given. */
  mediaRelay?: MediaRelay;
  /** Time that a phone that answers by SIP may send no RTP, in ms; 0, for ever, unless given. */
  rtpTimeoutMs?: number;
  /** Time for which a dialog outlives its connection; `sipLimits.reconnectGraceMs` unless given. */
  reconnectGraceMs?: number;
  /** Of USSD dialogues; `sipLimits.ussd` unless given. */
  ussdBounds?: Partial<UssdBounds>;
  /** Of session timers; `sipLimits.sessionExpiresS` and `sessionExpiresMinS` unless given. */
  sessionBounds?: SessionBounds;
}
