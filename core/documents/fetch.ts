import {
  type Exchange,
  headerLines,
  masked,
  reasonOf,
  secretsOf,
  textOf,
  unanswered,
} from "../base/exchange.ts";
import { Fault, type FaultName } from "../base/faults.ts";
import { inlineUrl, shownUrl } from "../model/flows/address.ts";
import { outside } from "../base/loop_work.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import { type Tokens, tokensOf } from "../accounts/access.ts";
import { type Signable, signedRequest, signerOf } from "../base/signature.ts";
import { type Answer, headerOf, isOk, type OutgoingRequest } from "../base/outgoing.ts";
import { timeLimit } from "../base/time_limit.ts";
import { type Element, parseDocument } from "../markup/parse.ts";
import { type Cookies, cookiesOf, type CookieSubject } from "./cookies.ts";

/**
 * A document that could not be fetched or read, with the exchange. `status` of the response, if any.
 */
export class DocumentFault extends Fault {
  constructor(
    fault: FaultName,
    detail: string,
    readonly exchange: Exchange,
    readonly status?: number,
  ) {
    super(fault, detail);
  }
}

export interface Document {
  /** Base of relative addresses: after redirects, with the credentials of the request. Never shown. */
  url: string;
  verbs: readonly Element[];
  /** Elements that reply to a message in place of the verbs: those of a plain text. */
  plain?: readonly Element[];
  /** The request and its response; absent where a flow made the document. */
  exchange?: Exchange;
  /** HTTP status of the response. */
  status?: number;
}

/** The tenant, call or text that a document is requested for. */
export interface Asking {
  signal: AbortSignal;
  tenant: string;
  /** The call or text whose cookies go along; absent: none do. */
  subject?: CookieSubject | undefined;
  /** Value of `X-Switchboard-Delivery`: that of a repeat is the same. */
  deliverySid?: string | undefined;
}

/**
 * Requests a document from an application server. An audio answer stands for a Play of its URL, plain
 * text for a Say of it; an empty one for nothing more to do. Throws a DocumentFault.
 */
export async function fetchDocument(
  source: Signable,
  { authToken, secondaryAuthToken, ...asking }: Tokens & Asking,
  ports: Ports,
): Promise<Document> {
  const tokens = { authToken, secondaryAuthToken };
  const { answer, text, exchange } = await exchangeWith(source, tokens, asking, ports);
  const { status } = answer;
  const url = baseOf(answer.url || source.url, source.url);
  if (!isOk(answer)) {
    throw new DocumentFault(
      "documentUnreachable",
      `the server answered ${status}`,
      exchange,
      status,
    );
  }
  const of = { url, exchange, status };
  if (text.trim() === "") return { ...of, verbs: [] };

  const [type = ""] = (headerOf(answer, "content-type") ?? "").split(";");
  const kind = type.trim().toLowerCase();
  if (kind.startsWith("audio/")) return { ...of, verbs: [verbOf("Play", url)] };
  if (kind === "text/plain") {
    const plain = text.trim();
    return { ...of, verbs: [verbOf("Say", plain)], plain: [verbOf("Message", plain)] };
  }
  // Servers that name no type send markup as text/html, which Twilio takes.
  const isMarkup = /^(text|application)\/(xml|[\w.-]+\+xml)$/.test(kind) ||
    kind === "text/html" && /<Response[\s/>]/.test(text);
  if (!isMarkup) {
    const found = kind === "" ? "the response has no Content-Type" : `Content-Type is ${kind}`;
    throw new DocumentFault("documentType", found, exchange, status);
  }
  try {
    return { ...of, verbs: parseDocument(text) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new DocumentFault("documentInvalid", error.detail ?? "", exchange, status);
  }
}

/**
 * The address that relative ones in a response are against. It has the credentials of the one that was
 * requested (RFC 3986 §5.2.2) on the same origin, and nowhere else.
 */
function baseOf(answered: string, requested: string): string {
  if (!requested.includes("@")) return answered;
  const [base, { username, password, origin }] = [new URL(answered), new URL(requested)];
  if (base.origin !== origin) return answered;
  return Object.assign(base, { username, password }).href;
}

/** Markup without a server: relative addresses in it lead nowhere. Throws a DocumentFault. */
export function inlineDocument(markup: string): Document {
  const url = shownUrl(inlineUrl(markup));
  try {
    return { url, verbs: parseDocument(markup) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const exchange = unanswered({ url, method: "", params: {} });
    throw new DocumentFault("documentInvalid", error.detail ?? "", exchange);
  }
}

const verbOf = (name: string, text: string): Element => ({
  name,
  attributes: {},
  children: [],
  text,
});

/** Sends a request and what redirects make of it, with the cookies of each host. */
async function fetchWith(
  cookies: Cookies | null,
  { request, signer }: { request: OutgoingRequest; signer: ReturnType<typeof signerOf> },
  ports: Pick<Ports, "fetch">,
): Promise<Answer> {
  if (cookies === null) return await ports.fetch(request, signer);
  const answer = await ports.fetch(await cookies.added(request), async (redirected, answer) => {
    await cookies.take(new URL(answer.url), answer);
    return await cookies.added(signer(redirected));
  });
  await cookies.take(new URL(answer.url || request.url.href), answer);
  return answer;
}

async function exchangeWith(
  source: Signable,
  tokens: Tokens,
  { signal, tenant, subject, deliverySid }: Asking,
  ports: Ports,
): Promise<{ answer: Answer; text: string; exchange: Exchange }> {
  const none = unanswered(source);
  const hidden = [...tokensOf(tokens), ...secretsOf(source.url)];
  using time = timeLimit(limits.documentTimeoutMs, signal);
  try {
    const keyed = { authToken: tokens.authToken, now: ports.now() };
    const signed = signedRequest(source, { ...keyed, signal: time.signal });
    const headers = {
      ...signed.headers,
      ...deliverySid !== undefined && { "x-switchboard-delivery": deliverySid },
    };
    const { answer, isAudio, text, isWhole } = await outside(async () => {
      const answer = await fetchWith(
        subject === undefined ? null : cookiesOf(subject, tenant, ports),
        { request: { ...signed, headers, tenant }, signer: signerOf(source, keyed) },
        ports,
      );
      const isAudio = /^audio\//i.test(headerOf(answer, "content-type") ?? "");
      const read = await textOf(answer, isAudio ? 1 : limits.documentBytes);
      return { answer, isAudio, ...read };
    });
    const responseHeaders = masked(headerLines(answer), hidden);
    const responseBody = isAudio ? "" : masked(text, hidden);
    const exchange = { ...none, responseHeaders, responseBody };
    if (isWhole || isAudio) return { answer, text, exchange };
    throw new DocumentFault(
      "documentInvalid",
      `the document is larger than ${limits.documentBytes >> 10} KiB`,
      exchange,
      answer.status,
    );
  } catch (error) {
    if (signal.aborted || error instanceof DocumentFault) throw error;
    const why = time.isOver
      ? `no complete response within ${limits.documentTimeoutMs / 1_000} s`
      : reasonOf(error, hidden);
    throw new DocumentFault("documentUnreachable", why, none);
  }
}
