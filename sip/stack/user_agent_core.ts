import {
  ClientTransaction,
  type DigestAuthentication,
  type IncomingRequestMessage,
  type IncomingResponseMessage,
  type OutgoingRequestMessage,
  type SessionDialog,
  UserAgentClient,
  UserAgentCore,
  type UserAgentCoreDelegate,
} from "sip.js/lib/core/index.js";
import { AllowedMethods } from "sip.js/lib/core/user-agent-core/allowed-methods.js";
import type { ClientAuthentication } from "./client_authentication.ts";
import { currentFlow, currentName } from "../base/flow.ts";
import { replaceClients } from "./patches/client_transactions.ts";
import { replaceCostly, silentLoggers } from "./patches/messages.ts";
import { replaceRequests } from "./patches/requests.ts";
import { replaceTimers } from "./patches/timers.ts";
import { LooseMap } from "../base/loose_map.ts";
import { ServerTransactions } from "./server_transactions.ts";
import { contactUser, nameless } from "../transport/local_name.ts";
import { userUri } from "../text/uri.ts";

/** What the companion calls itself in User-Agent. */
export const productName = "Switchboard";

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

/** Whether the Allow of a message names a method; a peer that sends none is not asked for more. */
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
  replaceBranchIds();
  replaceCostly();
  replaceTimers();
  replaceClients();
  replaceRequests();
  replaceAuthentication();
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
    authenticationFactory: () => authentication() as unknown as DigestAuthentication,
    transportAccessor: () => currentFlow().transport,
  }, delegate);
  keepLoosely(core);
  return core;
}

/** What the core keeps of each call and transaction; it has nothing yet. */
function keepLoosely(core: UserAgentCore): void {
  core.userAgentClients = new LooseMap();
  core.userAgentServers = new ServerTransactions();
  core.dialogs = new LooseMap();
}

let branches = 0;

/**
 * The library draws branch ids from ten million, which collide within seconds on a busy core and
 * let one client guess another's. Ours count, and end in 122 random bits (RFC 3261 §8.1.1.7).
 */
function replaceBranchIds(): void {
  const transaction = ClientTransaction as unknown as {
    makeId(request: OutgoingRequestMessage): string;
  };
  transaction.makeId = (request) => {
    if (request.method === "CANCEL" && request.branch !== undefined) return request.branch;
    return `z9hG4bK${(branches++).toString(36)}.${crypto.randomUUID()}`;
  };
}

/** What the library keeps to itself of a request of ours. */
interface OpenClient {
  readonly core: UserAgentCore;
  readonly message: OutgoingRequestMessage;
  credentials: ClientAuthentication | undefined;
  init(): void;
}

/** The library answers one challenge only, and forgets it for another (RFC 3261 §22.3). */
function replaceAuthentication(): void {
  Object.assign(UserAgentClient.prototype, {
    /** Whether a response is final; else the request goes out once more. */
    authenticationGuard(
      this: OpenClient,
      response: IncomingResponseMessage,
      dialog?: SessionDialog,
    ): boolean {
      if (response.statusCode !== 401 && response.statusCode !== 407) return true;
      this.credentials ??= this.core.configuration.authenticationFactory() as unknown as
        | ClientAuthentication
        | undefined;
      const { message, credentials } = this;
      if (!credentials?.answer(message, response)) return true;
      message.cseq++;
      if (dialog?.localSequenceNumber) {
        dialog.incrementLocalSequenceNumber();
        message.cseq = dialog.localSequenceNumber;
      }
      message.setHeader("cseq", `${message.cseq} ${message.method}`);
      this.init();
      return false;
    },
  });
}
