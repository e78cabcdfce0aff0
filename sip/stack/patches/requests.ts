import {
  type Body,
  NameAddrHeader,
  OutgoingRequestMessage,
  type OutgoingRequestMessageOptions,
  type URI,
  UserAgentCore,
} from "sip.js/lib/core/index.js";

/**
 * Requests of ours, made without the library's copies of all that they are made of: nobody changes a
 * URI, a header line or a body that was handed over. Their texts are made by `lean_library.ts`.
 */
export function replaceRequests(): void {
  Object.setPrototypeOf(LeanRequest.prototype, OutgoingRequestMessage.prototype);
  Object.assign(UserAgentCore.prototype, { makeOutgoingRequestMessage });
}

function makeOutgoingRequestMessage(
  this: UserAgentCore,
  method: string,
  ruri: URI,
  fromUri: URI,
  toUri: URI,
  options: OutgoingRequestMessageOptions,
  extraHeaders: string[] = [],
  body?: Body,
): OutgoingRequestMessage {
  const { configuration } = this;
  const tags = configuration.supportedOptionTags;
  const { fromTag = crypto.randomUUID(), fromDisplayName = configuration.displayName } = options;
  const { toTag, toDisplayName = "", callId = crypto.randomUUID(), cseq = 1 } = options;
  return new LeanRequest({
    method,
    ruri,
    from: nameAddr(fromUri, fromDisplayName, fromTag),
    fromTag,
    to: nameAddr(toUri, toDisplayName, toTag),
    toTag,
    callId,
    cseq,
    routeSet: options.routeSet ?? configuration.routeSet,
    extraHeaders,
    body: body && { body: body.content, contentType: body.contentType },
    options: {
      optionTags: method === "REGISTER" ? [...tags, "path", "gruu"] : tags,
      userAgentString: configuration.userAgentHeaderFieldValue ?? "",
      viaHost: configuration.viaHost,
      forceRport: configuration.viaForceRport,
      hackViaTcp: configuration.hackViaTcp,
    },
  }) as unknown as OutgoingRequestMessage;
}

function nameAddr(uri: URI, displayName: string, tag: string | undefined): NameAddrHeader {
  const address = new NameAddrHeader(uri, displayName, {});
  if (tag) address.setParam("tag", tag);
  return address;
}

interface Parts {
  method: string;
  ruri: URI;
  from: NameAddrHeader;
  fromTag: string;
  to: NameAddrHeader;
  toTag: string | undefined;
  callId: string;
  cseq: number;
  routeSet: string[];
  extraHeaders: string[];
  body: { body: string; contentType: string } | undefined;
  /** What the library's methods look at. */
  options: OutgoingRequestMessageOptions;
}

/** What the library lets others see of a request. */
type Seen = Omit<Parts, "routeSet"> & Pick<OutgoingRequestMessage, "headers" | "fromURI" | "toURI">;

/** What the constructor of the library fills in. */
class LeanRequest implements Seen {
  readonly headers: Record<string, string[]>;
  readonly extraHeaders: string[];
  readonly options: OutgoingRequestMessageOptions;
  readonly method: string;
  readonly ruri: URI;
  readonly from: NameAddrHeader;
  readonly fromTag: string;
  readonly fromURI: URI;
  readonly to: NameAddrHeader;
  readonly toTag: string | undefined;
  readonly toURI: URI;
  readonly callId: string;
  cseq: number;
  branch: string | undefined;
  readonly body: Parts["body"];

  constructor(parts: Parts) {
    const { method, from, to, callId, cseq } = parts;
    // In the order of their lines.
    this.headers = {
      "Route": [...parts.routeSet],
      "Via": [""],
      "To": [to.toString()],
      "From": [from.toString()],
      "CSeq": [`${cseq} ${method}`],
      "Call-ID": [callId],
      "Max-Forwards": ["70"],
    };
    this.extraHeaders = parts.extraHeaders;
    this.options = parts.options;
    this.method = method;
    this.ruri = parts.ruri;
    this.from = from;
    this.fromTag = parts.fromTag;
    this.fromURI = from.uri;
    this.to = to;
    this.toTag = parts.toTag;
    this.toURI = to.uri;
    this.callId = callId;
    this.cseq = cseq;
    this.branch = undefined;
    this.body = parts.body;
  }
}
