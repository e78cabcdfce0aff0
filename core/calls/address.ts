import type { Target } from "../bridge.ts";

/** Whom an address means: `client:NAME`, or `sip:NAME@domain` on our own domain; null is nobody. */
export function targetOf(address: string, sipDomain: string): Target | null {
  const client = /^client:([A-Za-z0-9\-._+]{1,64})$/.exec(address);
  if (client !== null) return { kind: "client", login: client[1]! };
  const sip = parseSipAddress(address);
  if (sip === null || sip.host.toLowerCase() !== sipDomain.toLowerCase()) return null;
  return { kind: "client", login: sip.user };
}

/** User and host of a SIP address; the scheme may be left out. Null when it is none. */
export function parseSipAddress(address: string): { user: string; host: string } | null {
  const parts = /^(?:sips?:)?([^@:;?\s]+)@([^@:;?\s]+)(?::\d+)?(?:[;?].*)?$/i.exec(address);
  if (parts === null) return null;
  try {
    return { user: decodeURIComponent(parts[1]!), host: parts[2]! };
  } catch {
    return null;
  }
}
