import { queue } from "../service/queue.ts";
import { type Line, newBranch } from "./softphone_line.ts";
import { type SipText, tagOf, valueOf, valuesOf, writeSip } from "./sip_text.ts";

/** A call that was answered. */
export interface PhoneDialog {
  readonly callId: string;
  /** The SDP of the other side when the call was set up. */
  readonly remoteSdp: string;
  /** Names the dialog in a Refer-To, escaped (RFC 3891 §3). */
  readonly replaces: string;
  /** Resolves with the BYE of the other side. */
  readonly ended: Promise<SipText>;
  /** Answers a re-INVITE of the other side; our first SDP unless set. */
  onReinvite: (sdp: string) => string;
  /** Answers any request of the other side before all else, unless it returns nothing. */
  onRequest: (request: SipText) => Answer | undefined;
  /**
   * The next request of the other side with this method, an ACK too, that no other call has
   * returned.
   */
  next(method: string): Promise<SipText>;
  /** Any request in the dialog; a 2xx to INVITE is acknowledged, with `ack` as its SDP. */
  request(method: string, options?: DialogRequest): Promise<SipText>;
  bye(): Promise<SipText>;
}

export interface Answer {
  status: number;
  headers?: string[];
  sdp?: string;
}

export interface DialogState {
  callId: string;
  local: string;
  remote: string;
  remoteTarget: string;
  localSdp: string;
  remoteSdp: string;
  cseq: number;
}

export interface DialogRequest {
  sdp?: string;
  headers?: string[];
  /** A body of another type than SDP. */
  body?: { type: string; content: string };
  ack?: string;
}

/** Answers a request with what it must be answered with (RFC 3261 §8.2.6). */
export function respond(
  line: Line,
  request: SipText,
  response: { status: number; reason?: string; tag?: string; headers?: string[]; sdp?: string },
): void {
  const { status, reason = "Whatever", tag, headers = [], sdp } = response;
  const to = valueOf(request, "to");
  line.send(writeSip(`SIP/2.0 ${status} ${reason}`, [
    ...valuesOf(request, "via").map((via) => `Via: ${via}`),
    `From: ${valueOf(request, "from")}`,
    `To: ${tag === undefined || to.includes(";tag=") ? to : `${to};tag=${tag}`}`,
    `Call-ID: ${valueOf(request, "call-id")}`,
    `CSeq: ${valueOf(request, "cseq")}`,
    ...headers.some((header) => /^contact:/i.test(header))
      ? []
      : [`Contact: <${line.phone.contact}>`],
    ...headers,
  ], sdp));
}

/** Takes over a dialog: requests go out in order, those that come in are answered. */
export function phoneDialog(line: Line, state: DialogState): PhoneDialog {
  const ended = Promise.withResolvers<SipText>();

  const came = new Map<string, ReturnType<typeof queue<SipText>>>();
  const inbox = (method: string) => {
    const known = came.get(method) ?? queue<SipText>();
    came.set(method, known);
    return known;
  };

  const text = (method: string, cseq: number, options: DialogRequest) =>
    writeSip(
      `${method} ${state.remoteTarget} SIP/2.0`,
      [
        `Via: SIP/2.0/WS phone.invalid;branch=${newBranch()};rport`,
        `From: ${state.local}`,
        `To: ${state.remote}`,
        `Call-ID: ${state.callId}`,
        `CSeq: ${cseq} ${method}`,
        "Max-Forwards: 70",
        `Contact: <${line.phone.contact}>`,
        ...options.headers ?? [],
        ...options.body ? [`Content-Type: ${options.body.type}`] : [],
      ],
      options.sdp ?? options.body?.content,
      options.body === undefined,
    );

  line.own(state.callId, (request) => {
    inbox(request.method ?? "").put(request);
    if (request.method === "ACK") return;
    const wanted = dialog.onRequest(request);
    if (wanted !== undefined) return respond(line, request, wanted);
    if (request.method === "INVITE") {
      return respond(line, request, { status: 200, sdp: dialog.onReinvite(request.body) });
    }
    respond(line, request, { status: 200 });
    if (request.method !== "BYE") return;
    line.disown(state.callId);
    ended.resolve(request);
  });

  const dialog: PhoneDialog = {
    callId: state.callId,
    remoteSdp: state.remoteSdp,
    replaces: encodeURIComponent(
      `${state.callId};to-tag=${tagOf(state.remote)};from-tag=${tagOf(state.local)}`,
    ),
    ended: ended.promise,
    onReinvite: () => state.localSdp,
    onRequest: () => undefined,
    next: (method) => inbox(method).take(),
    async request(method, options = {}) {
      const cseq = ++state.cseq;
      const response = await line.transact(text(method, cseq, options));
      const accepted = (response.status ?? 0) < 300;
      if (method === "INVITE" && accepted) {
        line.send(text("ACK", cseq, options.ack === undefined ? {} : { sdp: options.ack }));
      }
      return response;
    },
    async bye() {
      const response = await dialog.request("BYE");
      line.disown(state.callId);
      return response;
    },
  };
  return dialog;
}
