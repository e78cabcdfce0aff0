const encoder = new TextEncoder();

/** SHA-256 of a text, in hex: the stored form of secrets that are long and random. */
export const sha256 = async (text: string): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))).toHex();

/** Random bytes as a text that fits a cookie. */
export const randomToken = (bytes: number): string =>
  crypto.getRandomValues(new Uint8Array(bytes)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
