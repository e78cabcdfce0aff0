import { parseReplaces, type Replaces } from "../text/replaces.ts";
import type { IncomingRequestMessage } from "../base/sip_js.ts";
import { isHeaderSafe } from "../text/grammar.ts";
import type { Refusal } from "../base/refusal.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { parseNameAddr, withoutName } from "../text/uri.ts";
import type { Dialog } from "../contracts/dialog.ts";

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
  return {
    raw: withoutName(raw),
    uri: atDomain(text ?? ""),
    replaces,
    headers: Object.fromEntries(passed),
  };
}
