import type { BridgeSecret } from "../core/protocol/bridge_secret.ts";
import { type AdmissionBounds, createAdmission } from "./base/admission.ts";
import { clientAuthentication } from "./auth/client_authentication.ts";
import { createCallTraces } from "./base/call_traces.ts";
import type { Dialog } from "./contracts/dialog.ts";
import { type Flow, withFlow } from "./base/flow.ts";
import { createShortLivedSet, ShortLivedMap } from "../core/base/short_lived_map.ts";
import { createLocation } from "./text/location.ts";
import type { IceServersOf } from "./contracts/signalling.ts";
import { createLegNames } from "./text/leg_names.ts";
import type { MediaRelay } from "./contracts/signalling.ts";
import { sipLimits } from "./base/limits.ts";
import { createPeerProofs, peerLogin } from "./text/peer_proofs.ts";
import type { SessionBounds } from "./contracts/session_timer.ts";
import { createShortages } from "./base/shortages.ts";
import type { Timers } from "./base/timers.ts";
import { createTrunkHolds } from "./contracts/trunk_holds.ts";
import { noSources } from "./contracts/trunk_sources.ts";
import { createCore } from "./stack/user_agent_core.ts";
import type { Log } from "./base/log.ts";
import type { Signalling, UssdBounds } from "./contracts/signalling.ts";

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
  /** 0, for ever, unless given. */
  rtpTimeoutMs?: number;
  /** None is unless given. */
  isPublicAddress?: (address: string) => boolean;
  /** True, the default, where the messages of live calls are kept for traces. */
  tracesCalls?: boolean;
  /** Shared secret of the companions of one installation; without it there is no other one. */
  bridgeSecret?: BridgeSecret;
}

export function createSignalling(domain: string, options: SignallingOptions): Signalling {
  const location = createLocation();
  const { timers, log, reconnectGraceMs, sessionBounds, admission: bounds = {} } = options;
  const { isPublicAddress = () => false, bridgeSecret = crypto.randomUUID() } = options;
  const flowWatchers = createShortLivedSet<(lost: Flow) => void>();
  const closeWatchers = createShortLivedSet<(closed: Flow) => void>();
  const dialogs = new ShortLivedMap<string, Dialog>();
  const isKnown = (flow: Flow) => flow.logins.size > 0 || signalling.sources.knows(flow);
  const signalling: Signalling = {
    core: createCore(domain, {}, () => clientAuthentication({ dialogs, log })),
    domain,
    isOwn: (uri) => uri.host.toLowerCase() === domain,
    location,
    admission: createAdmission({ bounds, isKnown }),
    timers,
    log,
    sessionBounds,
    reconnectGraceMs,
    peers: createPeerProofs(bridgeSecret),
    legNames: createLegNames(bridgeSecret),
    relayed: new Map(),
    traces: createCallTraces({ isOn: options.tracesCalls ?? true }),
    ussdBounds: { ...sipLimits.ussd, ...options.ussdBounds },
    routes: { resolve: notListening, open: notListening, reach: notListening },
    sources: noSources,
    shortages: createShortages(timers),
    holds: createTrunkHolds(),
    iceServersOf: options.iceServersOf ?? (() => []),
    isPublicAddress,
    mediaRelay: options.mediaRelay ?? "auto",
    rtpTimeoutMs: options.rtpTimeoutMs ?? 0,
    dialogs,
    early: new ShortLivedMap(),
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
