import type { Invitation, Script } from "../../../core/protocol/script.ts";
import type { TrunkRoute } from "../../../core/protocol/trunks.ts";
import type { Endpoint } from "../../../sip/base/flow.ts";
import { createNonces, digestHa1, parseDigest, provesHa1 } from "../../../sip/text/digest.ts";
import { newLeg, type SipLab, startSipLab } from "./sip_lab.ts";
import { openUdpPeer, peerResponse, type SipPeer } from "./sip_peer.ts";
import { type SipText, valueOf, writeSip } from "./sip_text.ts";

/** A carrier's server that sends as a test orders. */
export interface TrunkPeer extends SipPeer {
  readonly route: TrunkRoute;
  /** The next request of a method; others are left aside. */
  request(method: string): Promise<SipText>;
  respond(request: SipText, status: number, wanted?: Parameters<typeof peerResponse>[2]): void;
  /** A response that begins or confirms a dialog. */
  answer(request: SipText, wanted?: { status?: number; sdp?: string }): void;
  /** Refuses a request for its lack of credentials. */
  challenge(request: SipText, algorithms: ("MD5" | "SHA-256")[], status?: 401 | 407): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export const peerSdp = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=carrier\r\nt=0 0\r\n";
export const realm = "carrier.test";
export const credentials = { userName: "trunk", password: 'trunk\'s "secret"' };

export async function openTrunk(to?: Endpoint, host = "127.0.0.1"): Promise<TrunkPeer> {
  const peer = await openUdpPeer(to, host);
  const nonces = createNonces(realm);
  const contact = `Contact: <sip:carrier@${host}:${peer.port}>`;
  const trunk: TrunkPeer = {
    ...peer,
    route: { gatewaySid: null, proxy: `${host}:${peer.port}`, publicOnly: false },
    async request(method) {
      for (;;) {
        const message = await peer.next();
        if (message.method === method) return message;
      }
    },
    respond: (request, status, wanted) => peer.send(peerResponse(request, status, wanted)),
    answer: (request, { status = 200, sdp = peerSdp } = {}) =>
      peer.send(peerResponse(request, status, { headers: [contact], sdp })),
    challenge(request, algorithms, status = 407) {
      const name = status === 407 ? "Proxy-Authenticate" : "WWW-Authenticate";
      const headers = nonces.challenges(name, { stale: false, algorithms, host: "127.0.0.1" });
      trunk.respond(request, status, { headers });
    },
    [Symbol.asyncDispose]: () => peer.close(),
  };
  return trunk;
}

/** Returns whether a request answers a challenge with the right password. */
export function isProven(request: SipText, algorithm: "MD5" | "SHA-256"): boolean {
  const header = valueOf(request, "authorization") || valueOf(request, "proxy-authorization");
  const parameters = parseDigest(header) ?? {};
  const { userName: username, password } = credentials;
  const ha1 = digestHa1(algorithm, { username, realm, password });
  return parameters["algorithm"] === algorithm &&
    provesHa1({ method: request.method ?? "", ha1 }, parameters);
}

export const trunkInvitation = (
  routes: TrunkRoute[],
  { dialled = "+442079460000", leg = newLeg() } = {},
): Invitation => ({
  leg,
  accountSid: `AC${"0".repeat(32)}`,
  from: "+15550001",
  to: dialled,
  target: { kind: "trunk", dialled, routes },
});

export const callScript = (invitation: Invitation): Script => [
  { type: "invite", invitation, timeoutS: 30 },
];

/** A companion that speaks UDP and TCP. */
export const startTrunkLab = (options: Parameters<typeof startSipLab>[0] = {}): Promise<SipLab> =>
  startSipLab({ transports: { ports: { UDP: 0, TCP: 0 } }, ...options });

/** The UDP address of the companion. */
export const udpOf = ({ companion }: SipLab): Endpoint => companion.sipAddresses.get("UDP")!;

/** A request of the peer in the dialog that one of ours began and it answered. */
export function inDialog(method: string, invite: SipText, port: number, cseq = 1): string {
  const contact = /<([^>]+)>/.exec(valueOf(invite, "contact"))?.[1] ?? "";
  return writeSip(`${method} ${contact} SIP/2.0`, [
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${crypto.randomUUID()};rport`,
    `From: ${valueOf(invite, "to")};tag=callee`,
    `To: ${valueOf(invite, "from")}`,
    `Call-ID: ${valueOf(invite, "call-id")}`,
    `CSeq: ${cseq} ${method}`,
    "Max-Forwards: 70",
  ]);
}
