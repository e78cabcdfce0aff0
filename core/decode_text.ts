/**
 * The text of a body: by its byte order mark, else by the charset of its Content-Type, else by its
 * XML declaration (RFC 7303 §3), and in UTF-8 where none of them names an encoding that is known.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const named = markOf(bytes) ?? charsetOf(contentType) ?? declaredIn(bytes);
  return decoderOf(named).decode(bytes);
}

function decoderOf(encoding: string | undefined): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder(); // It names none that there is.
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

const charsetOf = (contentType: string | null): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1];

/** How long an XML declaration is at most that is looked at. */
const declarationBytes = 200;

function declaredIn(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x3c || bytes[1] !== 0x3f) return undefined; // "<?"
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, declarationBytes));
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
}
