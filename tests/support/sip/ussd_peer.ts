import { inDialog, type TrunkPeer } from "./trunk_peer.ts";
import { peerRequest, peerResponse } from "./sip_peer.ts";
import { type SipText, valueOf, writeSip } from "./sip_text.ts";

const type = "application/vnd.3gpp.ussd+xml";

/** A body as networks send it. */
export const ussdXml = (text: string, inside = "") =>
  `<?xml version="1.0"?>\n<ussd-data><language>en</language>` +
  `<ussd-string>${text}</ussd-string>${inside}</ussd-data>`;

/** An INVITE that begins a USSD dialogue, by code or beside an offer. */
export function ussdInvite(
  { port }: TrunkPeer,
  { target, body, sdp, contentType = type }: {
    target: string;
    body: string;
    sdp?: string;
    contentType?: string;
  },
): string {
  const parts = [
    `Content-Type: application/sdp\r\n\r\n${sdp}`,
    `Content-Type: ${type}\r\n\r\n${body}`,
  ];
  const whole = sdp === undefined
    ? body
    : `--outer\r\n${parts.join("\r\n--outer\r\n")}\r\n--outer--`;
  const named = sdp === undefined ? contentType : "multipart/mixed; boundary=outer";
  const headers = [`Content-Type: ${named}`, "Recv-Info: g.3gpp.ussd"];
  const head = peerRequest("INVITE", "UDP", port, { target, headers })
    .replace(/Content-Length: 0\r\n\r\n$/, "").split("\r\n").filter(Boolean);
  const [start, ...lines] = head;
  return writeSip(start!, lines, whole, false);
}

/** The subscriber's side of a USSD dialogue that it began. */
export function ussdCaller(peer: TrunkPeer, invite: SipText, answer: SipText) {
  let cseq = 1;
  const send = (method: string, body = "", more: string[] = []) =>
    peer.send(writeSip(
      `${method} ${/<([^>]+)>/.exec(valueOf(answer, "contact"))![1]} SIP/2.0`,
      [
        `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
        `From: ${valueOf(invite, "from")}`,
        `To: ${valueOf(answer, "to")}`,
        `Call-ID: ${valueOf(invite, "call-id")}`,
        `CSeq: ${method === "ACK" ? 1 : ++cseq} ${method}`,
        "Max-Forwards: 70",
        ...more,
      ],
      body,
      false,
    ));
  return {
    ack: () => send("ACK"),
    bye: () => send("BYE"),
    /** INFO with a text, or whatever is given. */
    info: (body: string, contentType = type) =>
      send("INFO", body, [`Content-Type: ${contentType}`, "Info-Package: g.3gpp.ussd"]),
    /** The next request of a method, answered. */
    async taken(method: string, status = 200): Promise<SipText> {
      const request = await peer.request(method);
      peer.send(peerResponse(request, status));
      return request;
    },
  };
}

/** The subscriber's side of a USSD dialogue that was begun by us. */
export function ussdCallee(peer: TrunkPeer, invite: SipText) {
  return {
    info: (body: string) => {
      const [start, ...lines] = inDialog("INFO", invite, peer.port).trimEnd().split("\r\n")
        .filter((line) => !/^Content-Length/i.test(line));
      peer.send(
        writeSip(
          start!,
          [...lines, `Content-Type: ${type}`, "Info-Package: g.3gpp.ussd"],
          body,
          false,
        ),
      );
    },
    async taken(method: string): Promise<SipText> {
      const request = await peer.request(method);
      peer.respond(request, 200);
      return request;
    },
  };
}
