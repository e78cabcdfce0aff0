import { userAgent } from "../../core/base/version.ts";
import {
  type DigestAuthentication,
  type IncomingRequestMessage,
  type IncomingResponseMessage,
  UserAgentCore,
  type UserAgentCoreDelegate,
} from "sip.js/lib/core/index.js";
import { AllowedMethods } from "sip.js/lib/core/user-agent-core/allowed-methods.js";
import type { ClientAuthentication } from "../auth/client_authentication.ts";
import { currentFlow, currentName } from "../base/flow.ts";
import { applyPatches } from "./patches/patches.ts";
import { silentLoggers } from "./patches/messages.ts";
import { ShortLivedMap } from "../../core/base/short_lived_map.ts";
import { ServerTransactions } from "./server_transactions.ts";
import { contactUser, nameless } from "../transport/local_name.ts";
import { userUri } from "../text/uri.ts";

/** Name of the companion in User-Agent (RFC 3261 §20.41). */
export const productName = userAgent;

/** The methods in Allow; what the core does not know of them is handled beside it. */
export const allowedMethods = [
  "INVITE",
  "ACK",
  "CANCEL",
  "BYE",
  "OPTIONS",
  "REGISTER",
  "INFO",
  "UPDATE",
  "PRACK",
  "REFER",
  "NOTIFY",
  "MESSAGE",
];

export const allowHeader = `Allow: ${allowedMethods.join(", ")}`;

/** True when the Allow of a message names a method; a peer without Allow supports no other. */
export const allows = (
  message: IncomingRequestMessage | IncomingResponseMessage,
  method: string,
): boolean => message.getHeaders("allow").join(",").split(",").some((one) => one.trim() === method);

/** Option tags that a request may require (RFC 3261 §8.2.2.3). */
export const supportedOptions = [
  "outbound",
  "path",
  "100rel",
  "timer",
  "replaces",
  "norefersub",
];

/** Our Contact on the current flow. */
export const contactHeader = (domain: string): string => `Contact: <${nameFor(domain).contact}>`;

const nameFor = (domain: string) => currentName() ?? nameless(domain);

/**
 * One core for all connections, so that a dialog survives its connection and two legs can meet. The
 * core asks for its transport when it builds a transaction; `withFlow` says which one is meant.
 */
export function createCore(
  domain: string,
  delegate: UserAgentCoreDelegate,
  authentication: () => ClientAuthentication | undefined = () => undefined,
): UserAgentCore {
  applyPatches();
  AllowedMethods.splice(0, AllowedMethods.length, ...allowedMethods);
  const contact = userUri(contactUser, domain);
  const core = new UserAgentCore({
    aor: contact,
    contact: {
      uri: contact,
      pubGruu: undefined,
      tempGruu: undefined,
      toString: () => `<${nameFor(domain).contact}>`,
    },
    displayName: "",
    loggerFactory: silentLoggers(),
    hackViaTcp: false,
    routeSet: [],
    sipjsId: "",
    supportedOptionTags: supportedOptions,
    supportedOptionTagsResponse: supportedOptions,
    userAgentHeaderFieldValue: productName,
    viaForceRport: true,
    get viaHost() {
      return nameFor(domain).sentBy;
    },
    // Our patch of authentication calls what ours has (`patches/authentication.ts`).
    authenticationFactory: () => authentication() as unknown as DigestAuthentication,
    transportAccessor: () => currentFlow().transport,
  }, delegate);
  keepShortLived(core);
  return core;
}

/** Replaces the core's maps of calls and transactions, which are empty yet. */
function keepShortLived(core: UserAgentCore): void {
  core.userAgentClients = new ShortLivedMap();
  core.userAgentServers = new ServerTransactions();
  core.dialogs = new ShortLivedMap();
}
