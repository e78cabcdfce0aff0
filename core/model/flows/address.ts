/**
 * Internal addresses of documents: steps of a call flow, and markup that was sent instead of a URL.
 *
 * A record of Deno KV has at most 64 KiB, and a document may have as many. Markup of up to 40 KiB
 * stands in the record as it is; longer markup is compressed, and refused where it still has more
 * than 40 KiB. DEFLATE makes a fifth of markup made of words. Refused: an entry of its own for long
 * markup, which has to be written, read and removed beside its call. (Twilio takes 4,000
 * characters.)
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { limits } from "../../base/limits.ts";

/** Position in the flow of an application. */
export interface FlowPlace {
  applicationSid: string;
  /** Null: at the beginning. */
  step: string | null;
  /** Before the step; after it with a result; after it without one; while its caller waits in a queue. */
  phase: "begin" | "done" | "empty" | "wait";
  /** Variables so far, beside those of the call or message. */
  variables: Record<string, string>;
}

/**
 * Internal address of a position in a flow. No customer can give one, since every parameter takes
 * http or https alone. It holds all data to go on from there, so any instance can, and a repeated
 * report gets the same answer.
 */
export function flowUrl({ applicationSid, step, phase, variables }: FlowPlace): string {
  const path = step === null ? applicationSid : `${applicationSid}/${step}/${phase}`;
  const query = new URLSearchParams(variables).toString();
  return `flow:${path}${query === "" ? "" : `?${query}`}`;
}

export const isFlow = (url: string): boolean => url.startsWith("flow:");

/** Throws when the URL is none that `flowUrl` made. */
export function readFlowUrl(url: string): FlowPlace {
  const [, applicationSid, step = null, phase = "begin", query = ""] =
    /^flow:(AP[0-9a-f]{32})(?:\/(\w+)\/(begin|done|empty|wait))?(?:\?(.*))?$/s.exec(url) ?? [];
  if (applicationSid === undefined) throw new Error(`Cannot read "${url.slice(0, 100)}" as a flow`);
  const variables = Object.fromEntries(new URLSearchParams(query));
  return { applicationSid, step, phase: phase as FlowPlace["phase"], variables };
}

const inlineScheme = "twiml:";
const packedScheme = "twiml-deflate:";

/**
 * An address of ours for markup that was sent instead of a URL. It is compressed where a record has
 * no room for it as it is.
 */
export function inlineUrl(markup: string): string {
  const bytes = new TextEncoder().encode(markup);
  if (bytes.length <= limits.inlineMarkupBytes) return inlineScheme + markup;
  return packedScheme + new Uint8Array(deflateRawSync(bytes)).toBase64();
}

/** The markup that an address is; null for any other address. */
export function inlineMarkup(url: string): string | null {
  if (url.startsWith(inlineScheme)) return url.slice(inlineScheme.length);
  if (!url.startsWith(packedScheme)) return null;
  const packed = Uint8Array.fromBase64(url.slice(packedScheme.length));
  return new TextDecoder().decode(inflateRawSync(packed));
}

const validationScheme = "validation:";

/** Addresses of ours for the call that validates a number: its question, and the answer to that. */
export const validationUrls = {
  ask: `${validationScheme}ask`,
  check: `${validationScheme}check`,
} as const;

export const isValidation = (url: string): boolean => url.startsWith(validationScheme);

/** A URL as customers see it: without the variables of a flow, or the text of markup. */
export function shownUrl(url: string): string {
  if (url.startsWith(inlineScheme) || url.startsWith(packedScheme)) return inlineScheme;
  return isFlow(url) ? url.replace(/\?.*$/s, "") : url;
}

/**
 * Address of the markup of an application: its flow, else its RcmlUrl, resolved against BASE_URL
 * (RFC 3986 §5) where that is a path; null for neither.
 */
export function applicationUrl(
  application: { sid: string; flow?: string | null; rcmlUrl: string | null } | null,
  { baseUrl }: { baseUrl: string },
): string | null {
  if (!application?.flow) { // Kept before flows were, it has none.
    const url = application?.rcmlUrl ?? null;
    return url === null ? null : new URL(url, baseUrl).href;
  }
  const { sid: applicationSid } = application;
  return flowUrl({ applicationSid, step: null, phase: "begin", variables: {} });
}
