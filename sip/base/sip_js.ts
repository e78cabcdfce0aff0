/**
 * Imports from sip.js: its core for transactions and dialogs (RFC 3261 §12, §17).
 * `sip/stack/` alone imports the library; all other folders take its types and classes from here.
 */
export {
  IncomingRequestMessage,
  IncomingResponseMessage,
  NameAddrHeader,
  NonInviteServerTransaction,
  ReInviteUserAgentServer,
  SessionDialog,
  SessionState,
  SignalingState,
  URI,
  UserAgentServer,
} from "sip.js/lib/core/index.js";
export type {
  IncomingAckRequest,
  IncomingByeRequest,
  IncomingInfoRequest,
  IncomingInviteRequest,
  IncomingMessage,
  IncomingMessageRequest,
  IncomingNotifyRequest,
  IncomingPrackRequest,
  IncomingReferRequest,
  OutgoingInviteRequest,
  OutgoingInviteRequestDelegate,
  OutgoingRequestMessage,
  Session,
  SessionDelegate,
  Transport,
  UserAgentClient,
  UserAgentCore,
} from "sip.js/lib/core/index.js";
