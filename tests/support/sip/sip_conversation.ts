import { foreignSdp } from "../media/fake_media.ts";
import type { Connection, ReceiveLab } from "../service/receive_lab.ts";
import { pick, type Random } from "./sip_mutations.ts";
import { readSip, type SipText, tagOf, valueOf, valuesOf, writeSip } from "./sip_text.ts";

/** Possible next messages of a peer, given those on its connection so far. */
export interface Conversation {
  next(): string;
}

const sdp = "v=0\r\no=phone 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n";
const uri = "sip:example.com";

/** Messages of a peer that registers alice and bob, calls, is called, and does what calls have. */
export function conversationOn(
  lab: ReceiveLab,
  connection: Connection,
  random: Random,
): Conversation {
  let count = 0;
  const { host } = connection.flow.remote;
  const unique = () => `${random(1 << 30).toString(36)}${count++}`;
  const request = (method: string, target: string, options: RequestParts = {}) => {
    const { headers = [], body = "", ...parts } = options;
    const own = [
      `Via: SIP/2.0/WS phone.invalid;branch=${parts.branch ?? `z9hG4bK${unique()}`};rport`,
      `From: ${parts.from ?? `"A \\"l\\" ice" <sip:alice@example.com>;tag=${unique()}`}`,
      `To: ${parts.to ?? `<${target}>`}`,
      `Call-ID: ${parts.callId ?? unique()}`,
      `CSeq: ${parts.cseq ?? ++count} ${method}`,
      `Max-Forwards: ${pick(random, [0, 1, 70, 70, 70])}`,
    ];
    return writeSip(`${method} ${target} SIP/2.0`, [...own, ...headers], body);
  };

  const register = () => {
    const login = pick(random, ["alice", "bob", "bob", "nobody"]);
    const proof = lab.proof("Authorization", { login, method: "REGISTER", uri, host });
    const contact = pick(random, [
      `<sip:${login}@phone.invalid;transport=ws>;expires=600`,
      `<sip:${login}@phone.invalid>;reg-id=1;+sip.instance="<urn:uuid:1>"`,
      "*",
    ]);
    const headers = [`Contact: ${contact}`, pick(random, ["Expires: 0", "Expires: 600", "X-A: b"])];
    if (random(4) > 0) headers.push(random(8) === 0 ? proof.replace("nc=", "nx=") : proof);
    return request("REGISTER", uri, { to: `<sip:${login}@example.com>`, headers });
  };
  const call = () => {
    const target = pick(random, ["sip:bob@example.com", "sip:bob@example.com?X-A=1", "tel:+1555"]);
    const headers = [
      "Contact: <sip:alice@phone.invalid;transport=ws>",
      "X-Custom: value",
      ...random(4) === 0 ? [] : [
        lab.proof("Proxy-Authorization", { login: "alice", method: "INVITE", uri: target, host }),
      ],
    ];
    return request("INVITE", target, { headers, body: pick(random, [sdp, sdp, "", foreignSdp]) });
  };
  const options = () => request("OPTIONS", uri, { headers: ["Accept: application/sdp"] });

  /** Messages after an INVITE of ours that got any response. */
  const follow = () => {
    const answer = findLast(
      connection,
      ({ status, headers }) =>
        status !== undefined && status > 100 && headers.some(([, value]) => / INVITE$/.test(value)),
    );
    if (answer === undefined) return call();
    const method = pick(random, ["ACK", "ACK", "CANCEL", "BYE", "INFO", "UPDATE", "INVITE"]);
    const [cseq = "1"] = valueOf(answer, "cseq").split(" ");
    const same = method === "ACK" || method === "CANCEL";
    return request(method, "sip:switchboard@example.com", {
      from: valueOf(answer, "from"),
      to: valueOf(answer, "to"),
      callId: valueOf(answer, "call-id"),
      cseq: same ? Number(cseq) : Number(cseq) + 1 + random(5),
      headers: ["Contact: <sip:alice@phone.invalid>"],
      body: pick(random, [sdp, "", foreignSdp]),
      ...same && { branch: /branch=([^;]+)/.exec(valueOf(answer, "via"))?.[1] ?? "" },
    });
  };
  /** A response to the last request that we were sent. */
  const answer = () => {
    const asked = findLast(connection, ({ method }) => method !== undefined && method !== "ACK");
    if (asked === undefined) return register();
    const status = pick(random, [100, 180, 183, 200, 200, 200, 302, 404, 486, 487, 603]);
    const to = valueOf(asked, "to");
    const headers = [
      ...valuesOf(asked, "via").map((via) => `Via: ${via}`),
      `From: ${valueOf(asked, "from")}`,
      `To: ${to}${tagOf(to) === "" ? `;tag=${pick(random, ["t1", "t2"])}` : ""}`,
      `Call-ID: ${valueOf(asked, "call-id")}`,
      `CSeq: ${valueOf(asked, "cseq")}`,
      "Contact: <sip:bob@phone.invalid;transport=ws>",
    ];
    return writeSip(`SIP/2.0 ${status} Some Reason`, headers, pick(random, [sdp, "", foreignSdp]));
  };

  const kinds = [register, call, call, options, follow, follow, answer, answer];
  return { next: () => pick(random, kinds)() };
}

interface RequestParts {
  branch?: string;
  from?: string;
  to?: string;
  callId?: string;
  cseq?: number;
  headers?: string[];
  body?: string;
}

/** The latest of what was sent on a connection, among the last few, that fits. */
function findLast(
  { sent }: Connection,
  matches: (message: SipText) => boolean,
): SipText | undefined {
  return sent.slice(-10).map(readSip).findLast(matches);
}
