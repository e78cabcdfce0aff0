import type { BridgeSecret } from "../core/protocol/bridge_secret.ts";
import type { Places } from "../core/machine/net/places.ts";
import type { AdmissionBounds } from "./base/admission.ts";
import type { TransportOptions } from "./transport/listen.ts";
import type { MediaRelay } from "./contracts/signalling.ts";
import type { LoadAudio, MediaEngine } from "./media/base/port.ts";
import type { Reach } from "./media/server_socket/connect.ts";
import type { ServerSockets } from "./media/server_socket/server_sockets.ts";
import type { Recogniser } from "./media/sources/recogniser.ts";
import type { Speaker } from "./media/sources/speaker.ts";
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
  /** Where the service reaches the control; the address it listens on unless given. */
  bridgeUrl?: string;
  /** Where other companions reach this one; its WebSocket unless given. */
  sipUri?: string;
  /** The realm, and the host of every address of ours; in lower case, however it is written. */
  sipDomain: string;
  /** Offers SHA-256 to phones over every transport; else over WebSocket alone. */
  sha256Everywhere?: boolean;
  /** Names this companion to the service, start after start. */
  id: string;
  media: MediaEngine;
  /** What tenants share of its ports; any number unless given. */
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
  /** Whether customers may have us connect to an address; to none unless given. */
  isPublicAddress?: (address: string) => boolean;
  /** Which servers of customers a WebSocket may lead to; public ones unless given. */
  reach?: Reach;
  /** How servers of conversations are connected to; by sockets of this thread unless given. */
  sockets?: ServerSockets<unknown>;
  /** Whether the messages of calls that fail are sent to the service; so unless given. */
  tracesCalls?: boolean;
  /** Whether audio between two plain phones goes by us; `auto` unless given. */
  mediaRelay?: MediaRelay;
  /** Time that a phone that answers by SIP may send no RTP, in ms; 0, for ever, unless given. */
  rtpTimeoutMs?: number;
  /** How long a dialog outlives its connection; `sipLimits.reconnectGraceMs` unless given. */
  reconnectGraceMs?: number;
  /** Of USSD dialogues; `sipLimits.ussd` unless given. */
  ussdBounds?: Partial<UssdBounds>;
  /** Of session timers; `sipLimits.sessionExpiresS` and `sessionExpiresMinS` unless given. */
  sessionBounds?: SessionBounds;
}
