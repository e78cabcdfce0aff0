import type { NameAddrHeader, URI } from "../base/sip_js.ts";

/** A flow of a device, or else the address itself (RFC 5626 §6, RFC 3261 §19.1.4). */
export function keyOf(contact: NameAddrHeader): string {
  const instance = contact.getParam("+sip.instance");
  const regId = contact.getParam("reg-id");
  return instance && regId ? `${instance};${regId}` : addressOf(contact.uri);
}

/** Parameters may stand in any order. */
function addressOf(uri: URI): string {
  const text = uri.toString();
  if (text.indexOf(";") === text.lastIndexOf(";")) return text;
  const [address = "", ...parameters] = text.split(";");
  return [address, ...parameters.sort()].join(";");
}
