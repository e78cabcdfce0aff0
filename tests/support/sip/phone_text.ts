import assert from "node:assert/strict";
import type { Connection, ReceiveLab } from "../service/receive_lab.ts";
import { writeSip } from "./sip_text.ts";

/** The domain that these messages are for. */
export const domain = "example.com";
export const uri = `sip:${domain}`;
export const sdp = "v=0\r\no=phone 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n";

let count = 0;

export interface Parts {
  login?: string;
  branch?: string;
  to?: string;
  from?: string;
  callId?: string;
  cseq?: number;
  headers?: string[];
  body?: string;
}

/** A request of a phone, with defaults for its parts. */
export function request(method: string, target: string, parts: Parts = {}): string {
  const { login = "alice", headers = [], body = "" } = parts;
  count++;
  return writeSip(`${method} ${target} SIP/2.0`, [
    `Via: SIP/2.0/WS phone.invalid;branch=${parts.branch ?? `z9hG4bK${count}`}`,
    `From: ${parts.from ?? `<sip:${login}@${domain}>;tag=${count}`}`,
    `To: ${parts.to ?? `<sip:${login}@${domain}>`}`,
    `Call-ID: ${parts.callId ?? count}`,
    `CSeq: ${parts.cseq ?? 1} ${method}`,
    `Contact: <sip:${login}@phone.invalid;transport=ws>`,
    ...headers,
  ], body);
}

/** A REGISTER that is accepted, by default from the address of a phone. */
export const register = (lab: ReceiveLab, login: string, host?: string) =>
  request("REGISTER", uri, {
    login,
    headers: [
      lab.proof("Authorization", { login, method: "REGISTER", uri, ...host && { host } }),
    ],
  });

/** A REGISTER with a password that is wrong. */
export const guess = (lab: ReceiveLab, login: string, host?: string) =>
  register(lab, login, host).replace(/response="../, 'response="zz');

/** A connection of a Client that is registered. */
export async function registered(lab: ReceiveLab, login = "alice"): Promise<Connection> {
  const connection = lab.connect();
  connection.receive(register(lab, login));
  await lab.time.settle();
  assert.deepEqual(connection.statuses(), [200]);
  return connection;
}

/** An INVITE of alice, to bob, that is let in. */
export function call(lab: ReceiveLab, parts: Parts = {}): string {
  const target = `sip:bob@${domain}`;
  const proof = lab.proof("Proxy-Authorization", { login: "alice", method: "INVITE", uri: target });
  const { headers = [], ...others } = parts;
  return request("INVITE", target, { body: sdp, ...others, headers: [proof, ...headers] });
}
