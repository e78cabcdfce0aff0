/**
 * The text of a body. Its byte order mark names the encoding, else the charset of its Content-Type,
 * else its XML declaration (RFC 7303 §3). It is UTF-8 where none of them names an encoding of the
 * runtime.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  if (bytes.length === 0) return "";
  const decoder = decoderOf(markOf(bytes)) ?? decoderOf(charsetOf(contentType)) ??
    decoderOf(declaredIn(bytes)) ?? new TextDecoder();
  return decoder.decode(bytes);
}

function decoderOf(encoding: string | undefined): TextDecoder | undefined {
  try {
    return encoding === undefined ? undefined : new TextDecoder(encoding);
  } catch {
    return undefined; // It names none that there is.
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

const charsetOf = (contentType: string | null): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1];

/** Bytes of a body in which an XML declaration is looked for. */
const declarationBytes = 200;

function declaredIn(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x3c || bytes[1] !== 0x3f) return undefined; // "<?"
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, declarationBytes));
  const named = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
  // A text that names UTF-16 in single bytes is not in it: some programs name the encoding of their own strings.
  return /^(utf-16|ucs-2|iso-10646-ucs-2)/i.test(named ?? "") ? undefined : named;
}
