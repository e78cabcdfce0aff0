import type { IncomingRequestMessage, IncomingResponseMessage } from "../stack/library/sip_js.ts";

export type SipMessage = IncomingRequestMessage | IncomingResponseMessage;
