import { Buffer } from "node:buffer";

const removed = "removed";

/** A header with its continuation lines (RFC 3261 §7.3.1). */
const headerNamed = (names: string) =>
  new RegExp(String.raw`^(${names})([ \t]*:[ \t]*)([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)`, "gim");

/** Headers that prove a password (RFC 3261 §20.7, §20.28, §20.6), and companions to each other. */
const proofs = headerNamed(
  "(?:Proxy-)?Authorization|(?:Proxy-)?Authentication-Info|Switchboard-[A-Za-z]+",
);

/** Parameters of digest credentials that prove nothing. */
const openParameter =
  /\b(username|realm|uri|algorithm|qop|nc)[ \t]*=[ \t]*("[^"\r\n]*"|[^",\s]+)/gi;

/**
 * A user part with a password (RFC 3261 §19.1.1), with its `@` where it has one. It matches without one
 * too, so that no text is read twice: a pattern that looks for `@` from every `sip:` is quadratic.
 */
const password = /(sips?:[^\s@<>":]+):[^\s@<>"]*(@?)/gi;

/** Keys in SDP (RFC 4568, RFC 8839, RFC 4567, RFC 4566 §5.12). */
const cryptoLine = /^(a=crypto:\d+[ \t]+\S+[ \t]+)[^\r\n]*/gim;
const keyLine = /^(a=ice-pwd:|a=key-mgmt:|k=)[^\r\n]*/gim;

const bodyBegin = /\r?\n\r?\n/;
const sdpType = /^(?:content-type|c)[ \t]*:[ \t]*application\/sdp[ \t]*(?:;|\r?\n|$)/im;
const lengthHeader = /^(content-length|l)([ \t]*:[ \t]*)\d+/im;

/**
 * A SIP message without what a reader could use to call as another or to decrypt audio: credentials,
 * passwords in addresses, and keys in SDP. Of bodies only SDP stays, as others hold digits that a person
 * pressed or texts of USSD. Content-Length is that of the body that stays. A message without the end of
 * its head was cut off: its last text may be half a password.
 */
export function withoutSecrets(text: string): string {
  const { index: end = text.length, 0: gap = "" } = bodyBegin.exec(text) ?? {};
  const head = withoutPasswords(withoutProofs(text.slice(0, end)), { isCut: gap === "" });
  const body = text.slice(end + gap.length);
  const open = body === "" || !sdpType.test(head) ? "" : withoutKeys(body);
  if (open === body) return head + gap + body;
  const length = Buffer.byteLength(open);
  return head.replace(lengthHeader, (_, name, colon) => `${name}${colon}${length}`) + gap + open;
}

const withoutProofs = (head: string): string =>
  head.replace(proofs, (_, name, colon, value) => `${name}${colon}${openPart(value)}`);

const withoutPasswords = (head: string, { isCut }: { isCut: boolean }): string =>
  head.replace(password, (whole, user, at, from) => {
    const isPassword = at !== "" || isCut && from + whole.length === head.length;
    return isPassword ? `${user}:${removed}${at}` : whole;
  });

const withoutKeys = (sdp: string): string =>
  sdp.replace(cryptoLine, `$1inline:${removed}`).replace(keyLine, `$1${removed}`);

/** The part of credentials that may be read. */
function openPart(credentials: string): string {
  if (!/^digest\s/i.test(credentials)) return removed;
  const open = [...credentials.matchAll(openParameter)].map(([, name, value]) =>
    `${name}=${value}`
  );
  return `Digest ${[...open, `response="${removed}"`].join(", ")}`;
}
