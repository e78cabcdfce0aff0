import {
  ClientTransaction,
  IncomingMessage,
  InviteClientTransaction,
  InviteServerTransaction,
  NonInviteClientTransaction,
  NonInviteServerTransaction,
  OutgoingRequestMessage,
  SessionDialog,
  URI,
  UserAgentClient,
  UserAgentServer,
} from "sip.js/lib/core/index.js";
import { replaceAuthentication } from "./authentication.ts";
import { replaceBranchIds } from "./branches.ts";
import { replaceClients } from "./client_transactions.ts";
import { replaceMessages } from "./messages.ts";
import { replaceTimers } from "./timers.ts";
import { replaceUris } from "./uris.ts";

/** `rule`: what SIP demands. The others save CPU time; `bench:sip` measures a companion without. */
export type PatchGroup = "rule" | "timers" | "headers";

/** Members of a class of sip.js that run our code in place of the library's. */
export interface Patch {
  of: object;
  members: readonly string[];
  group: PatchGroup;
  /** Fault without it. */
  without: string;
  /** Part of the CPU time of a call over WebSocket that it saves; absent: none, it is for its rule. */
  saves?: string;
}

/**
 * Every patch of sip.js, which `sip/stack/` alone imports. An upgrade of the library begins here: the test
 * of this list compares it with what is replaced, and names the classes whose source has changed.
 */
export const patches: readonly Patch[] = [
  // Rules of SIP that the library does not keep.
  {
    of: ClientTransaction,
    members: ["makeId"],
    group: "rule",
    without:
      "Branch ids are drawn from ten million: they collide, and a client can guess another's.",
  },
  {
    of: UserAgentClient.prototype,
    members: ["authenticationGuard"],
    group: "rule",
    without: "A request answers one challenge only (RFC 3261 §22.3 allows one for each realm).",
  },
  {
    of: InviteServerTransaction.prototype,
    members: ["receiveResponse"],
    group: "rule",
    without: "100 Trying leaves at once, not after 200 ms (§17.2.1).",
  },
  {
    of: OutgoingRequestMessage.prototype,
    members: ["toString"],
    group: "rule",
    without:
      "A request about a sips: URI has no sips: Contact (§8.1.1.8), and a peer without a tag gets one.",
  },
  {
    of: UserAgentServer.prototype,
    members: ["reply"],
    group: "rule",
    without: "A response to a sips: request has no sips: Contact (§8.1.1.8).",
  },
  {
    of: URI.prototype,
    members: ["escapeUser"],
    group: "rule",
    without:
      "Requests to a Contact with `;tgrp=` or the like in its user part have %3B in place of the semicolon (§19.1.4).",
  },
  // Timers: the library sets one of the runtime for each, and cannot be told otherwise. The whole
  // group: see docs/explanation/complexity.md.
  {
    of: InviteServerTransaction.prototype,
    members: [
      "stateTransition",
      "dispose",
      "startProgressExtensionTimer",
      "stopProgressExtensionTimer",
    ],
    group: "timers",
    without: "Timers H, I and L are the runtime's.",
    saves: "1 in a call: 1.6 to 2.2 us",
  },
  {
    of: InviteClientTransaction.prototype,
    members: ["stateTransition", "dispose"],
    group: "timers",
    without: "Timers D and M are the runtime's.",
    saves: "1 in a call: 1.6 to 2.2 us",
  },
  {
    of: NonInviteServerTransaction.prototype,
    members: ["stateTransition", "dispose"],
    group: "timers",
    without: "Timer J is the runtime's.",
    saves: "2 in a call: 3.1 to 4.4 us",
  },
  {
    of: NonInviteClientTransaction.prototype,
    members: ["stateTransition", "dispose"],
    group: "timers",
    without: "Timer K is the runtime's.",
    saves: "2 in a call: 3.1 to 4.4 us",
  },
  {
    of: SessionDialog.prototype,
    members: ["start2xxRetransmissionTimer", "dispose"],
    group: "timers",
    without: "Repeats of a 2xx are timed by the runtime.",
    saves: "1 in a call: 1.6 to 2.2 us",
  },
  {
    of: UserAgentClient.prototype,
    members: ["init"],
    group: "timers",
    without: "Timers B and F are the runtime's; each request makes a closure for each of its ends.",
    saves: "2 in a call: 3.1 to 4.4 us, and their closures",
  },
  // Speed: the same results at less cost.
  {
    of: IncomingMessage.prototype,
    members: ["getHeader", "getHeaders", "hasHeader", "parseHeader"],
    group: "headers",
    without: "The name of a header is spelt letter by letter whenever the header is asked for.",
    saves: "74 reads in a call, each 0.15 to 0.23 us: 12 us",
  },
];

/** Replaces what `patches` lists, once for all cores. */
export function applyPatches(): void {
  replaceBranchIds();
  replaceAuthentication();
  replaceTimers();
  replaceClients();
  replaceMessages();
  replaceUris();
}
