import type { IncomingRequestMessage, IncomingResponseMessage } from "sip.js/lib/core/index.js";

export type SipMessage = IncomingRequestMessage | IncomingResponseMessage;
