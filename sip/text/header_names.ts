// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** The one-letter names (RFC 3261 §7.3.3 and the registry that followed it). */
const compact: Readonly<Record<string, string>> = {
  a: "Accept-Contact",
  b: "Referred-By",
  c: "Content-Type",
  d: "Request-Disposition",
  e: "Content-Encoding",
  f: "From",
  i: "Call-ID",
  j: "Reject-Contact",
  k: "Supported",
  l: "Content-Length",
  m: "Contact",
  o: "Event",
  r: "Refer-To",
  s: "Subject",
  t: "To",
  u: "Allow-Events",
  v: "Via",
  x: "Session-Expires",
  y: "Identity",
};

/** Names whose capitals do not follow the words. */
const irregular: Readonly<Record<string, string>> = {
  "call-id": "Call-ID",
  "cseq": "CSeq",
  "min-se": "Min-SE",
  "rack": "RAck",
  "rseq": "RSeq",
  "www-authenticate": "WWW-Authenticate",
};

/** Frequent names of headers, as they come and as the code reads them. */
const frequent = new Map(
  [
    "Accept",
    "Allow",
    "Authorization",
    "Call-ID",
    "Contact",
    "Content-Disposition",
    "Content-Length",
    "Content-Type",
    "CSeq",
    "Event",
    "Expires",
    "From",
    "Max-Forwards",
    "Min-SE",
    "Path",
    "Proxy-Authorization",
    "Proxy-Require",
    "RAck",
    "Record-Route",
    "Replaces",
    "Require",
    "Route",
    "RSeq",
    "Session-Expires",
    "Subscription-State",
    "Supported",
    "Switchboard-Peer",
    "To",
    "User-Agent",
    "Via",
  ].flatMap((name) => [[name, name], [name.toLowerCase(), name]]),
);

/** The same as they mostly come, by their length. */
const byLength: string[][] = Array.from({ length: 24 }, () => []);
for (const name of new Set(frequent.values())) byLength[name.length]!.push(name);

/** The name of a header that lies between two places of a text, where it is one of those. */
export function frequentNameAt(text: string, from: number, end: number): string | undefined {
  const names = byLength[end - from] ?? [];
  for (let i = 0; i < names.length; i++) {
    if (text.startsWith(names[i]!, from)) return names[i];
  }
  return undefined;
}

/** The canonical name of what messages are full of, written as mostly; undefined for any other text. */
export const frequentName = (name: string): string | undefined => frequent.get(name);

/** The name of a header as the library spells it, from any case or its compact form. */
export function canonicalName(name: string): string {
  const spelled = frequent.get(name);
  if (spelled !== undefined) return spelled;
  const lower = name.toLowerCase();
  const known = lower.length === 1 ? compact[lower] : irregular[lower];
  if (known !== undefined && Object.hasOwn(lower.length === 1 ? compact : irregular, lower)) {
    return known;
  }
  return lower.replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase());
}
