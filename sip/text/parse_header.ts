import { IncomingRequestMessage } from "../base/sip_js.ts";
import type { Challenges } from "./digest_client.ts";
import { splitAddresses, splitOutside } from "./grammar.ts";
import { parseNameAddr } from "./uri.ts";
import type { SipMessage } from "./sip_message.ts";
import { parseVia } from "./via.ts";

/** Reads one header into a message and says what is wrong with it. */
type Reader = (message: SipMessage, value: string, name: string) => string | undefined;

/**
 * Fills a header into the message as the library would, with `parsed` set wherever it would
 * otherwise start its own grammar. Returns what is wrong, if anything.
 */
export function readHeader(message: SipMessage, name: string, value: string): string | undefined {
  const reader = readers.get(name);
  if (reader !== undefined) return reader(message, value, name);
  add(message, name, value);
  return undefined;
}

function add(message: SipMessage, name: string, raw: string, parsed?: unknown): void {
  const header = parsed === undefined ? { raw } : { raw, parsed };
  const known = message.headers[name];
  // A push to an empty array allocates space for many more.
  if (known === undefined) message.headers[name] = [header];
  else known.push(header);
}

/** A header that may stand only once, with its value. */
const single =
  (read: (message: SipMessage, value: string) => unknown): Reader => (message, value, name) => {
    if (message.headers[name] !== undefined) return `it has two ${name}`;
    const parsed = read(message, value);
    add(message, name, value, parsed);
    return parsed === undefined ? `its ${name} is malformed` : undefined;
  };

/** A header with several values, in lines or joined by commas (RFC 3261 §7.3.1). */
const list = (
  read: (message: SipMessage, value: string) => unknown,
  split: (value: string) => string[] | undefined = (value) => splitOutside(value, ","),
): Reader =>
(message, value, name) => {
  if (!value.includes(",")) {
    const parsed = read(message, value);
    add(message, name, value, parsed);
    return parsed === undefined ? `its ${name} is malformed` : undefined;
  }
  const values = split(value)?.map((raw) => ({ raw, parsed: read(message, raw) }));
  // An unreadable header is kept as it came, for the response that refuses it.
  if (values === undefined || values.some(({ parsed }) => parsed === undefined)) {
    add(message, name, value);
    return `its ${name} is malformed`;
  }
  for (const { raw, parsed } of values) add(message, name, raw, parsed);
  return undefined;
};

const number = (max: number) => (_: SipMessage, value: string) =>
  /^\d{1,10}$/.test(value) && Number(value) <= max ? Number(value) : undefined;

const readers: ReadonlyMap<string, Reader> = new Map(Object.entries<Reader>({
  "Via": list((message, value) => {
    const via = parseVia(value);
    if (via !== undefined && message.via === undefined) {
      message.via = via as SipMessage["via"];
      message.viaBranch = via.branch ?? "";
    }
    return via;
  }),
  "From": single((message, value) => {
    const from = parseNameAddr(value);
    if (from === undefined) return undefined;
    message.from = from;
    message.fromTag = from.getParam("tag") ?? "";
    return from;
  }),
  "To": single((message, value) => {
    const to = parseNameAddr(value);
    if (to === undefined) return undefined;
    message.to = to;
    message.toTag = to.getParam("tag") ?? "";
    return to;
  }),
  "Call-ID": single((message, value) => {
    if (value === "" || /\s/.test(value)) return undefined;
    return message.callId = value;
  }),
  "CSeq": single(readCSeq),
  "Contact": list((_, value) => value === "*" ? value : parseNameAddr(value), splitAddresses),
  "Content-Length": single(number(2 ** 31)),
  "Max-Forwards": single(number(255)),
  // The library compares the type with its own, so it gets it bare and in lower case.
  "Content-Type": single((_, value) => value.split(";")[0]?.trim().toLowerCase() || undefined),
  "Content-Disposition": single((_, value) => ({
    type: value.split(";")[0]?.trim().toLowerCase(),
  })),
  "Event": single((_, value) => ({ event: value.split(";")[0]?.trim().toLowerCase() })),
  "Route": list(readRoute),
  "Record-Route": list(readRoute),
  "WWW-Authenticate": readChallenge,
  "Proxy-Authenticate": readChallenge,
}));

/** A Route is repeated as it came, so what it opens it has to close. */
function readRoute(_: SipMessage, value: string): string | undefined {
  return splitOutside(value, ",")?.[0];
}

/** The library looks at the first challenge alone, so that one holds them all. */
function readChallenge(message: SipMessage, value: string, name: string): undefined {
  const known = message.headers[name]?.[0]?.parsed as Challenges | undefined;
  const all: Challenges = known ?? { headers: [] };
  all.headers.push(value);
  add(message, name, value, all);
}

function readCSeq(message: SipMessage, value: string): unknown {
  const [, digits, method] = /^(\d{1,10})[ \t]+([^ \t]+)$/.exec(value) ?? [];
  if (method === undefined || Number(digits) >= 2 ** 31) return undefined;
  message.cseq = Number(digits);
  if (message instanceof IncomingRequestMessage && message.method !== method) return undefined;
  message.method = method;
  return { value: Number(digits), method };
}
