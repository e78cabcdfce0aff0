import type { IncomingRequestMessage } from "sip.js/lib/core/index.js";
import { isHeaderSafe, parseParameters } from "../text/grammar.ts";
import type { Refusal } from "../refusal.ts";
import type { Signalling } from "../signalling.ts";
import { parseNameAddr } from "../text/uri.ts";
import type { Dialog } from "./dialog.ts";

/** A dialog by its identifiers, as the sender of the header sees it (RFC 3891 §3). */
export interface Replaces {
  callId: string;
  toTag: string;
  fromTag: string;
  /** Only a call that is not answered yet is meant. */
  earlyOnly: boolean;
}

/** Whom a REFER names. */
export interface ReferTo {
  /** The header as it came. */
  raw: string;
  /** The URI without its headers. */
  uri: string;
  /** The conversation whose other side is meant: an attended transfer. */
  replaces: Replaces | undefined;
  /** X- and User-to-User headers for the INVITE. */
  headers: Record<string, string>;
}

/** `Call-ID;to-tag=…;from-tag=…`; undefined when it is malformed. */
export function parseReplaces(text: string): Replaces | undefined {
  const [callId = "", ...rest] = text.split(";");
  const parameters = parseParameters(rest.join(";")) ?? [];
  const tag = (name: string) => parameters.find((one) => one.name === name)?.value;
  const [toTag, fromTag] = [tag("to-tag"), tag("from-tag")];
  if (callId.trim() === "" || !toTag || !fromTag) return undefined;
  const earlyOnly = parameters.some(({ name }) => name === "early-only");
  return { callId: callId.trim(), toTag, fromTag, earlyOnly };
}

/** The dialog of ours; some softphones name the tags by who called instead of by whose they are. */
export function replacedDialog(
  { dialogs }: Signalling,
  { callId, toTag, fromTag }: Replaces,
): Dialog | undefined {
  return dialogs.get(callId + toTag + fromTag) ?? dialogs.get(callId + fromTag + toTag);
}

/** The Refer-To of a REFER (RFC 3515 §2.1), or why it is refused. */
export function readReferTo(
  message: IncomingRequestMessage,
  /** Takes an address of ours for the same of our domain. */
  atDomain: (uri: string) => string = (uri) => uri,
): ReferTo | Refusal {
  const [raw, ...more] = message.getHeaders("refer-to");
  if (raw === undefined || more.length > 0) {
    return { statusCode: 400, reasonPhrase: "Needs One Refer-To" };
  }
  const uri = parseNameAddr(raw)?.uri;
  if (uri === undefined) return { statusCode: 400, reasonPhrase: "Malformed Refer-To" };
  if (!["sip", "sips", "tel"].includes(uri.scheme)) return { statusCode: 416 };
  const method = uri.getParam("method");
  if (method && method.toUpperCase() !== "INVITE") {
    return { statusCode: 403, reasonPhrase: "Refers To Calls Only" };
  }
  const [text, query = ""] = uri.toString().split(/\?(.*)/s);
  const headers = [...new URLSearchParams(query.replaceAll("+", "%2B"))];
  const asked = headers.find(([name]) => name.toLowerCase() === "replaces")?.[1];
  const replaces = asked === undefined ? undefined : parseReplaces(asked);
  if (asked !== undefined && replaces === undefined) {
    return { statusCode: 400, reasonPhrase: "Malformed Replaces" };
  }
  const passed = headers.filter(([name, value]) =>
    /^(x-[\w\-.]{1,60}|user-to-user)$/i.test(name) && isHeaderSafe(value)
  );
  return { raw, uri: atDomain(text ?? ""), replaces, headers: Object.fromEntries(passed) };
}
