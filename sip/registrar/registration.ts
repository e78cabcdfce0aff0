import { awakeNow } from "../../core/base/steady_clock.ts";
import type { IncomingRequestMessage, NameAddrHeader } from "../base/sip_js.ts";
import type { Flow } from "../base/flow.ts";
import { apart } from "../base/apart.ts";
import { splitOutside } from "../text/grammar.ts";
import { sipLimits } from "../base/limits.ts";
import { keyOf } from "../text/binding_key.ts";
import type { Binding } from "../text/location.ts";
import type { Refusal } from "../base/refusal.ts";
import { isSecure } from "../text/secure.ts";
import { parseNameAddr } from "../text/uri.ts";

/** A REGISTER of a Client who has proved its login. */
export interface Registration {
  message: IncomingRequestMessage;
  login: string;
  flow: Flow;
  /** Names the Client, and the password that it proved. */
  proof: string;
  /** The end of that password in ms since 1970, where it has one: no binding outlives it. */
  endsAt: number | undefined;
}

/** Request of a REGISTER: the list, the removal of everything, or the wanted bindings. */
export type Wish = "list" | "remove all" | Binding[];

/** Reads the request of a REGISTER, or its refusal (RFC 3261 §10.3 steps 6 and 7). */
export function readRegister(registration: Registration): { wish: Wish } | { refusal: Refusal } {
  const { message } = registration;
  const contacts = message.headers["Contact"] ?? [];
  if (contacts.length === 0) return { wish: "list" };
  if (contacts.some(({ parsed }) => parsed === "*")) {
    const isAlone = contacts.length === 1 && /^0+$/.test(message.getHeader("expires") ?? "");
    if (isAlone) return { wish: "remove all" };
    return { refusal: { statusCode: 400, reasonPhrase: "Wildcard Needs Expires Zero" } };
  }
  const path = pathOf(message);
  if (path === undefined) return { refusal: { statusCode: 400, reasonPhrase: "Bad Path" } };
  if (wantsOutbound(message) && !cameByOutbound(message, path)) {
    return { refusal: { statusCode: 439, reasonPhrase: "First Hop Lacks Outbound Support" } };
  }
  const bindings: Binding[] = [];
  for (const { raw, parsed } of contacts) {
    const read = bindingOf(registration, { raw, parsed, path });
    if ("refusal" in read) return read;
    bindings.push(read.binding);
  }
  return { wish: bindings };
}

/** True when the bindings of a REGISTER are flows of a device (RFC 5626 §4.2.1). */
export const wantsOutbound = (message: IncomingRequestMessage): boolean =>
  supports(message, "outbound") &&
  (message.headers["Contact"] ?? []).some(({ parsed }) =>
    parsed !== "*" && parsed.hasParam("reg-id") && parsed.hasParam("+sip.instance")
  );

export const supports = (message: IncomingRequestMessage, option: string): boolean =>
  message.hasHeader("supported") && message.getHeaders("supported").join(",").split(",")
    .some((tag) => tag.trim().toLowerCase() === option);

/** A proxy that a REGISTER came by first must keep the flow as well (RFC 5626 §6). */
function cameByOutbound(message: IncomingRequestMessage, path: readonly string[]): boolean {
  const isFirstHop = message.getHeaders("via").length === 1;
  return isFirstHop || parseNameAddr(path.at(-1) ?? "")?.uri.hasParam("ob") === true;
}

const noPath: readonly string[] = [];

/** The values of Path (RFC 3327 §4), the nearest proxy first; undefined when they are malformed. */
function pathOf(message: IncomingRequestMessage): readonly string[] | undefined {
  const lines = message.getHeaders("path");
  if (lines.length === 0) return noPath;
  const values = splitOutside(lines.join(","), ",");
  if (values === undefined || values.length > sipLimits.pathProxies) return undefined;
  const isProxy = (value: string) => /^sips?$/.test(parseNameAddr(value)?.uri.scheme ?? "");
  return values.every(isProxy) ? values.map(apart) : undefined;
}

function bindingOf(
  { message, flow, proof, endsAt = Infinity }: Registration,
  { raw, parsed, path }: { raw: string; parsed: NameAddrHeader; path: readonly string[] },
): { binding: Binding } | { refusal: Refusal } {
  if (!/^sips?$/.test(parsed.uri.scheme)) return { refusal: { statusCode: 400 } };
  if (parsed.uri.scheme === "sips" && !isSecure(flow.transport.protocol)) {
    return { refusal: { statusCode: 400, reasonPhrase: "SIPS Contact Needs TLS" } };
  }
  const expiresS = expiryOf(parsed.getParam("expires") ?? message.getHeader("expires"));
  if (expiresS > 0 && expiresS < sipLimits.registrationMinS) {
    const extraHeaders = [`Min-Expires: ${sipLimits.registrationMinS}`];
    return { refusal: { statusCode: 423, extraHeaders } };
  }
  const { callId, cseq } = message;
  const registeredAt = Math.floor(awakeNow());
  return {
    binding: {
      key: keyOf(parsed),
      contact: apart(withoutExpiry(raw, parsed)),
      instance: kept(parsed.getParam("+sip.instance")),
      path,
      flow,
      userAgent: kept(message.getHeader("user-agent")?.slice(0, sipLimits.userAgentLength)),
      proof,
      registeredAt,
      expiresAt: registeredAt + Math.min(expiresS * 1000, endsAt - Date.now()),
      callId: apart(callId),
      cseq,
    },
  };
}

const kept = (text: string | null | undefined): string | undefined =>
  typeof text === "string" ? apart(text) : undefined;

/** A malformed value counts as the default (§10.3 step 6). */
function expiryOf(text: string | undefined): number {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return sipLimits.registrationDefaultS;
  return Math.min(Number(text), sipLimits.registrationMaxS);
}

/** The Contact to list again: our expiry replaces the requested one. */
function withoutExpiry(raw: string, contact: NameAddrHeader): string {
  if (!contact.hasParam("expires") && raw.includes("<")) return raw;
  const bare = contact.clone();
  bare.deleteParam("expires");
  return bare.toString();
}
