/**
 * Rings Clients that are registered at another companion. Companions offer each other ICE and
 * DTLS-SRTP, so browsers there get the offer unchanged. A companion where a phone with plain RTP is
 * registered ends these media itself, which costs it an anchored leg.
 */
import type { Peer } from "../../core/protocol/peers.ts";
import type { Flow } from "../base/flow.ts";
import { createFork } from "./create_fork.ts";
import type { Fork, ForkEvents } from "../contracts/fork.ts";
import type { CallerDemands } from "../contracts/caller.ts";
import { type ForkInvite, secured } from "./fork_invite.ts";
import { legHeader, type LegName } from "../text/leg_names.ts";
import type { MediaLeg } from "../media/mod.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { orderHeader, peerLogin } from "../text/peer_proofs.ts";
import { isSecureUri } from "../text/secure.ts";
import { parseSipUri, userUri } from "../text/uri.ts";

/** Another companion, the Client to call there, and the SDP to offer. */
export interface OfferedPeer {
  peer: Peer;
  /** Login whose devices it rings; for a replaced leg, that of the leg. */
  login: string;
  demands: CallerDemands;
  /** The leg that this is here. */
  leg: LegName;
  offer: string;
  media: MediaLeg | undefined;
}

/** The INVITE to another companion, as one fork; 480 if that is out of reach as the call demands. */
export function createPeerFork(
  signalling: Signalling,
  invite: ForkInvite,
  { peer, login, demands, leg, offer, media }: OfferedPeer,
): Fork {
  let fork: Fork | undefined;
  let isOver = false;

  const invited = (flow: Flow): Fork => {
    const { callId, headers } = invite;
    const line = headers.find((header) => header.startsWith(`${orderHeader}: `));
    const order = line?.slice(orderHeader.length + 2);
    return createFork(signalling, invite, {
      flow,
      uri: secured(userUri(login, signalling.domain), demands),
      routeSet: [],
      offer,
      media,
      proof: (cseq) => [
        signalling.peers.prove({ login, callId, cseq, order }),
        `${legHeader}: ${signalling.legNames.write(leg)}`,
      ],
    });
  };
  const send = async (events: ForkEvents) => {
    try {
      const flow = await flowTo(signalling, peer, demands);
      if (isOver) return;
      fork = invited(flow);
      fork.send(events);
    } catch (error) {
      if (isOver) return;
      isOver = true;
      signalling.log("Cannot call a Client at another companion", { error: String(error) });
      events.onRefused({ status: 480, headers: {}, retryAfterS: 0 });
    }
  };

  return {
    media,
    offer,
    trunk: undefined,
    get flow() {
      if (fork === undefined) throw new Error("Cannot tell the flow: the call is not placed yet");
      return fork.flow;
    },
    get over() {
      return fork?.over ?? isOver;
    },
    forget: () => fork?.forget(),
    send: (events) => void send(events),
    cancel(reason) {
      isOver = true;
      fork?.cancel(reason);
    },
  };
}

async function flowTo(
  { routes }: Signalling,
  { sipUri }: Peer,
  demands: CallerDemands,
): Promise<Flow> {
  const uri = parseSipUri(sipUri);
  if (uri === undefined) throw new Error(`Cannot reach ${sipUri}: it is no SIP URI`);
  if (demands.isSecure && !isSecureUri(sipUri)) {
    throw new Error(`Cannot reach ${sipUri} by TLS, as the call demands`);
  }
  const flow = await routes.reach(uri);
  flow.logins.add(peerLogin);
  return flow;
}
