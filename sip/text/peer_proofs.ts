import type { BridgeSecret } from "../../core/protocol/bridge_secret.ts";
import type { IncomingRequestMessage } from "../base/sip_js.ts";
import { createSignatureVerifier, signRequest } from "../../core/protocol/signature.ts";

/** Carries the proof. It does not begin with X-, so it is never passed on. */
export const peerHeader = "Switchboard-Peer";

/** Says what the other companion is to do with the call, where it is for no Client. */
export const orderHeader = "Switchboard-Order";

/** Stands for a companion among the logins of a flow; no Client can be called so. */
export const peerLogin = "@companion";

/** An INVITE from companion to companion: its recipient, and what makes it unique. */
interface PeerInvite {
  login: string;
  callId: string;
  cseq: number;
  /** The value of its `orderHeader`, if it has one. */
  order?: string | undefined;
}

/** Proofs by which companions of one installation authenticate each other. */
export interface PeerProofs {
  /** The header line that proves an INVITE to be ours; it holds for this INVITE, for a moment. */
  prove(invite: PeerInvite): string;
  /** True when the proof of an INVITE is valid, fresh and not used before. */
  accepts(message: IncomingRequestMessage, login: string): boolean;
}

/** Proofs by the secret that service and companions share. */
export function createPeerProofs(
  secret: BridgeSecret,
  now: () => number = Date.now,
): PeerProofs {
  const { verify } = createSignatureVerifier(secret, now);

  return {
    prove: (invite) =>
      `${peerHeader}: ${signRequest(secret, { at: now(), method: "INVITE", ...signed(invite) })}`,
    accepts(message, login) {
      const proof = message.getHeader(peerHeader);
      const { callId, cseq } = message;
      const order = message.getHeader(orderHeader);
      const invite = signed({ login, callId, cseq, order });
      return verify(proof, { method: "INVITE", ...invite }) !== undefined;
    },
  };
}

/** No path of the call-control protocol is like it, so no proof is ever the signature of an order. */
const signed = ({ login, callId, cseq, order = "" }: PeerInvite) => ({
  path: `sip:${login}`,
  body: `${cseq} ${callId} ${order}`,
});
