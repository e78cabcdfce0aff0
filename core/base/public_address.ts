/**
 * True for an IP address of the public internet. Loopback, private, link-local, shared,
 * documentation, multicast and metadata addresses (RFC 6890) are not, nor IPv6 forms of them.
 */
export function isPublicAddress(address: string): boolean {
  const v4 = parseV4(address);
  if (v4 !== null) return isPublicV4(v4);
  const v6 = parseV6(address);
  return v6 !== null && isPublicV6(v6);
}

/** True for a text that is an IP address, without the brackets of a URL. */
export const isAddress = (text: string): boolean =>
  parseV4(text) !== null || parseV6(text) !== null;

function parseV4(text: string): number | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return null;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** The eight groups of an IPv6 address, a zone left out. */
function parseV6(text: string): number[] | null {
  const [bare = ""] = text.split("%");
  const url = bare.includes(":") ? URL.parse(`http://[${bare}]/`) : null;
  if (url === null) return null;
  const [head = "", tail] = url.hostname.slice(1, -1).split("::");
  const groups = (part: string) =>
    part === "" ? [] : part.split(":").map((hex) => parseInt(hex, 16));
  if (tail === undefined) return groups(head);
  const [first, last] = [groups(head), groups(tail)];
  return [...first, ...Array(8 - first.length - last.length).fill(0), ...last];
}

/** The special-purpose blocks of RFC 6890 and multicast. */
const reserved: [block: string, bits: number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

const isPublicV4 = (address: number): boolean =>
  !reserved.some(([block, bits]) => {
    const size = 2 ** (32 - bits);
    // The blocks of the table above are well-formed.
    return Math.floor(address / size) === Math.floor(parseV4(block)! / size);
  });

function isPublicV6(groups: number[]): boolean {
  const [first, second] = groups as [number, number];
  // An IPv6 address has eight groups.
  const v4 = groups[6]! * 65_536 + groups[7]!;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  // 64:ff9b::/96 (RFC 6052); 64:ff9b:1::/48 is for use within networks alone (RFC 8215).
  const isTranslated = first === 0x64 && second === 0xff9b &&
    groups.slice(2, 6).every((group) => group === 0);
  if (isMapped || isTranslated) return isPublicV4(v4);
  if (first === 0x2002) return isPublicV4(second * 65_536 + groups[2]!); // 6to4
  if (first === 0x2001 && (second === 0xdb8 || second < 0x200)) return false;
  return first >= 0x2000 && first < 0x4000; // Global unicast; all else is reserved.
}
