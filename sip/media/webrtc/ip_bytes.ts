import { isIP, isIPv4 } from "node:net";

/** The 4 or 16 bytes of an IP address; throws when it is none. */
export function addressBytes(address: string): number[] {
  const family = isIP(address);
  if (family === 0) throw new Error(`Cannot read the IP address "${address}"`);
  return family === 4 ? address.split(".").map(Number) : ipv6Bytes(address.replace(/%.*/, ""));
}

/** RFC 4291 §2.2: groups of hex, one run of zeros left out, perhaps IPv4 at the end. */
function ipv6Bytes(address: string): number[] {
  const [head, tail] = address.split("::").map(groupBytes) as [number[], number[]?];
  if (tail === undefined) return head;
  return [...head, ...Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

const groupBytes = (groups: string): number[] =>
  groups === "" ? [] : groups.split(":").flatMap((group) => {
    if (isIPv4(group)) return addressBytes(group);
    const number = parseInt(group, 16);
    return [number >> 8, number & 0xff];
  });

/** One name for each socket address, however it is written; one of IPv4 within IPv6 is IPv4's. */
export function addressKey(address: string, port: number): string {
  const bytes = addressBytes(address);
  const isMapped = bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 0xff && bytes[11] === 0xff;
  return `${(isMapped ? bytes.slice(12) : bytes).join(".")} ${port}`;
}
