import { type PhoneDialog, phoneDialog, respond } from "./softphone_dialog.ts";
import { type Line, randomToken } from "./softphone_line.ts";
import { type SipText, uriIn, valueOf } from "./sip_text.ts";

/** An INVITE that rings at a softphone. */
export interface IncomingCall {
  readonly invite: SipText;
  ring(options?: { status?: number; sdp?: string; headers?: string[] }): void;
  /** 200; resolves when its ACK is here. */
  answer(sdp?: string, headers?: string[]): Promise<PhoneDialog>;
  decline(status: number, headers?: string[]): void;
  /** Resolves with the first PRACK, which was answered. */
  readonly pracked: Promise<SipText>;
  /** Resolves with the CANCEL, which was answered with 200 and 487. */
  readonly cancelled: Promise<SipText>;
  /** Answers although a CANCEL came, as when the two cross on the wire. */
  ignoreCancel: boolean;
}

export const phoneSdp = "v=0\r\no=phone 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n";

export function incomingCall(line: Line, invite: SipText): IncomingCall {
  const callId = valueOf(invite, "call-id");
  const tag = randomToken();
  const cancelled = Promise.withResolvers<SipText>();
  const pracked = Promise.withResolvers<SipText>();
  const acked = Promise.withResolvers<SipText>();

  line.own(callId, (request) => {
    if (request.method === "ACK") {
      line.disown(callId);
      return acked.resolve(request);
    }
    if (request.method === "PRACK") {
      pracked.resolve(request);
      return respond(line, request, { status: 200, tag });
    }
    if (request.method !== "CANCEL") return respond(line, request, { status: 481, tag });
    respond(line, request, { status: 200, tag });
    if (!call.ignoreCancel) respond(line, invite, { status: 487, tag });
    cancelled.resolve(request);
  });

  const call: IncomingCall = {
    invite,
    ignoreCancel: false,
    cancelled: cancelled.promise,
    pracked: pracked.promise,
    ring: ({ status = 180, sdp = "", headers = [] } = {}) =>
      respond(line, invite, { status, tag, sdp, headers }),
    decline(status, headers = []) {
      respond(line, invite, { status, tag, headers });
    },
    async answer(sdp = phoneSdp, headers = []) {
      respond(line, invite, { status: 200, tag, sdp, headers });
      await acked.promise;
      return phoneDialog(line, {
        callId,
        local: `${valueOf(invite, "to")};tag=${tag}`,
        remote: valueOf(invite, "from"),
        remoteTarget: uriIn(valueOf(invite, "contact")),
        localSdp: sdp,
        remoteSdp: invite.body,
        cseq: 0,
      });
    },
  };
  return call;
}
