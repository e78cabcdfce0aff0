import {
  ClientTransaction,
  IncomingMessage,
  InviteClientTransaction,
  InviteServerTransaction,
  NameAddrHeader,
  NonInviteClientTransaction,
  NonInviteServerTransaction,
  OutgoingRequestMessage,
  SessionDialog,
  URI,
  UserAgentClient,
  UserAgentCore,
  UserAgentServer,
} from "sip.js/lib/core/index.js";
import { replaceAuthentication } from "./authentication.ts";
import { replaceBranchIds } from "./branches.ts";
import { replaceClients } from "./client_transactions.ts";
import { replaceCostly } from "./messages.ts";
import { replaceRequests } from "./requests.ts";
import { replaceTimers } from "./timers.ts";

/** Members of a class of sip.js that run our code in place of the library's. */
export interface Patch {
  of: object;
  members: readonly string[];
  /** What goes wrong, or is slow, without it. */
  without: string;
}

/**
 * Every patch of sip.js. An upgrade of the library begins here: the test of this list names the classes
 * whose source has changed.
 */
export const patches: readonly Patch[] = [
  // Rules of SIP that the library does not keep.
  {
    of: ClientTransaction,
    members: ["makeId"],
    without:
      "Branch ids are drawn from ten million: they collide, and a client can guess another's.",
  },
  {
    of: UserAgentClient.prototype,
    members: ["authenticationGuard"],
    without: "A request answers one challenge only (RFC 3261 §22.3 allows one for each realm).",
  },
  {
    of: InviteServerTransaction.prototype,
    members: ["receiveResponse"],
    without: "100 Trying leaves at once, not after 200 ms (§17.2.1).",
  },
  {
    of: OutgoingRequestMessage.prototype,
    members: ["toString"],
    without:
      "A request about a sips: URI has no sips: Contact (§8.1.1.8), and its text costs more.",
  },
  {
    of: UserAgentServer.prototype,
    members: ["reply"],
    without: "A response to a sips: request has no sips: Contact, and its text costs more.",
  },
  // Timers: the library sets one of the runtime for each, and cannot be told otherwise.
  {
    of: InviteServerTransaction.prototype,
    members: [
      "stateTransition",
      "dispose",
      "startProgressExtensionTimer",
      "stopProgressExtensionTimer",
    ],
    without: "Timers H, I and L are the runtime's.",
  },
  {
    of: InviteClientTransaction.prototype,
    members: ["stateTransition", "dispose"],
    without: "Timers D and M are the runtime's.",
  },
  {
    of: NonInviteServerTransaction.prototype,
    members: ["stateTransition", "dispose"],
    without: "Timer J is the runtime's.",
  },
  {
    of: NonInviteClientTransaction.prototype,
    members: ["stateTransition", "dispose"],
    without: "Timer K is the runtime's.",
  },
  {
    of: SessionDialog.prototype,
    members: ["start2xxRetransmissionTimer", "dispose"],
    without: "Repeats of a 2xx are timed by the runtime.",
  },
  {
    of: UserAgentClient.prototype,
    members: ["init"],
    without: "Timers B and F are the runtime's; each request makes a closure for each of its ends.",
  },
  // Speed: the same results at less cost.
  {
    of: IncomingMessage.prototype,
    members: ["getHeader", "getHeaders", "hasHeader", "parseHeader"],
    without: "The name of a header is spelt letter by letter whenever the header is asked for.",
  },
  {
    of: OutgoingRequestMessage.prototype,
    members: ["getHeader", "setHeader"],
    without: "The same, for requests of ours.",
  },
  {
    of: URI.prototype,
    members: ["escapeUser", "clone", "_toString"],
    without: "Each copy and each text of a URI escapes and sorts its parts anew.",
  },
  {
    of: NameAddrHeader.prototype,
    members: ["clone"],
    without: "A copy of a header reads its text anew.",
  },
  {
    of: SessionDialog.prototype,
    members: ["signalingStateTransition"],
    without: "Headers of messages without a body are read for an offer.",
  },
  {
    of: UserAgentCore.prototype,
    members: ["makeOutgoingRequestMessage"],
    without: "A request copies every URI, header line and body that it is made of.",
  },
];

/** Replaces what `patches` lists, once for all cores. */
export function applyPatches(): void {
  replaceBranchIds();
  replaceAuthentication();
  replaceTimers();
  replaceClients();
  replaceCostly();
  replaceRequests();
}
