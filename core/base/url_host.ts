import { limits } from "./limits.ts";

/** True when the host of a URL has a length that DNS allows (RFC 1035 §2.3.4). */
export const hasShortHost = ({ hostname }: URL): boolean => hostname.length <= limits.hostLength;

/** The host and port of a URL, short enough for a key of the store; `invalid` where there is none. */
export function hostOf(url: string): string {
  const target = URL.parse(url);
  return target !== null && target.host !== "" && hasShortHost(target) ? target.host : "invalid";
}
