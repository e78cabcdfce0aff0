import { type PhoneDialog, phoneDialog, respond } from "./softphone_dialog.ts";
import { type Line, newBranch, plainRequest, randomToken } from "./softphone_line.ts";
import { phoneSdp } from "./softphone_incoming.ts";
import { queue } from "../service/queue.ts";
import { branchOf, readSip, type SipText, uriIn, valueOf, writeSip } from "./sip_text.ts";

export interface PlaceOptions {
  sdp?: string;
  headers?: string[];
  replace?: Record<string, string | undefined>;
  /** The SDP of the ACK to a 2xx; none unless given. */
  ack?: string;
}

/** An INVITE of a softphone. */
export interface OutgoingCall {
  readonly callId: string;
  /** The first response between 101 and 199. */
  readonly ringing: Promise<SipText>;
  /** The final response, after the challenge was answered. */
  readonly final: Promise<SipText>;
  /** The dialog, once a 2xx was acknowledged; rejects when the call was refused. */
  readonly answered: Promise<PhoneDialog>;
  /** Statuses of all responses so far. */
  readonly statuses: number[];
  /** The next provisional response but 100 that no other call has returned. */
  nextProvisional(): Promise<SipText>;
  /** A request in the early dialog of a provisional response. */
  early(method: string, of: SipText, headers?: string[]): Promise<SipText>;
  /** CANCEL, with whole header lines; resolves with its response. */
  cancel(headers?: string[]): Promise<SipText>;
}

/** Fields that all requests of one call attempt share. */
interface Attempt {
  line: Line;
  uri: string;
  callId: string;
  from: string;
  sdp: string;
  cseq: number;
  /** The INVITE sent last. */
  sent: SipText;
}

export function placeCall(line: Line, target: string, options: PlaceOptions): OutgoingCall {
  const { domain, login } = line.phone;
  const ringing = Promise.withResolvers<SipText>();
  const statuses: number[] = [];
  const provisional = queue<SipText>();
  let early = 0;
  const attempt: Attempt = {
    line,
    uri: target.includes(":") ? target : `sip:${target}@${domain}`,
    callId: randomToken(),
    from: `<sip:${login}@${domain}>;tag=${randomToken()}`,
    sdp: options.sdp ?? phoneSdp,
    cseq: 0,
    sent: readSip(""),
  };
  const note = (response: SipText) => {
    const { status = 0 } = response;
    statuses.push(status);
    if (status <= 100 || status >= 200) return;
    ringing.resolve(response);
    provisional.put(response);
  };
  const final = place(attempt, options, note);
  const answered = final.then((response) => confirm(attempt, response, options.ack));
  line.own(attempt.callId, (request) => respond(line, request, { status: 481 }));
  answered.catch(() => line.disown(attempt.callId));
  return {
    callId: attempt.callId,
    ringing: ringing.promise,
    final,
    answered,
    statuses,
    nextProvisional: provisional.take,
    early: (method, of, headers = []) =>
      line.transact(
        plainRequest(line.phone, method, {
          target: uriIn(valueOf(of, "contact")),
          headers,
          replace: {
            "from": attempt.from,
            "to": valueOf(of, "to"),
            "call-id": attempt.callId,
            "cseq": `${attempt.cseq + ++early} ${method}`,
          },
        }),
      ),
    cancel: (headers = []) => line.transact(follow(attempt, "CANCEL", attempt.sent, { headers })),
  };
}

/** INVITE, and once more when it is challenged; a refusal is acknowledged. */
async function place(
  attempt: Attempt,
  options: PlaceOptions,
  note: (response: SipText) => void,
): Promise<SipText> {
  const { line, uri, callId, from, sdp } = attempt;
  const send = async (...extra: string[]): Promise<SipText> => {
    const text = plainRequest(line.phone, "INVITE", {
      target: uri,
      sdp,
      headers: [...options.headers ?? [], ...extra],
      replace: { from, "call-id": callId, "cseq": `${++attempt.cseq} INVITE`, ...options.replace },
    });
    attempt.sent = readSip(text);
    const response = await line.transact(text, note);
    note(response);
    if ((response.status ?? 0) >= 300) line.send(follow(attempt, "ACK", response));
    return response;
  };
  const first = await send();
  return first.status === 407 ? await send(line.authorize(first, "INVITE", uri)) : first;
}

/** ACK or CANCEL: with the branch of the INVITE, unless another is given. */
function follow(
  attempt: Attempt,
  method: string,
  toOf: SipText,
  { branch, sdp, headers = [] }: { branch?: string; sdp?: string; headers?: string[] } = {},
): string {
  const { uri, from, callId, cseq, sent } = attempt;
  return writeSip(`${method} ${uri} SIP/2.0`, [
    `Via: SIP/2.0/WS phone.invalid;branch=${branch ?? branchOf(sent)};rport`,
    `From: ${from}`,
    `To: ${valueOf(toOf, "to")}`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq} ${method}`,
    "Max-Forwards: 70",
    ...headers,
  ], sdp);
}

function confirm(attempt: Attempt, response: SipText, sdp = ""): PhoneDialog {
  const { line, uri, callId, from, cseq } = attempt;
  if (response.status !== 200) throw new Error(`Cannot call ${uri}: ${response.start}`);
  line.send(follow(attempt, "ACK", response, { branch: newBranch(), sdp }));
  return phoneDialog(line, {
    callId,
    local: from,
    remote: valueOf(response, "to"),
    remoteTarget: uriIn(valueOf(response, "contact")),
    localSdp: attempt.sdp,
    remoteSdp: response.body,
    // Beyond those of requests in the early dialog.
    cseq: cseq + 10,
  });
}
