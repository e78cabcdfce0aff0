import type { IncomingRequestMessage, IncomingResponseMessage } from "../base/sip_js.ts";

export type SipMessage = IncomingRequestMessage | IncomingResponseMessage;
