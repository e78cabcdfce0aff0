/** Signs texts that come back to the service: HMAC-SHA256 under the server's secret, in hex. */
export function serverSigner(secretKey: string): (text: string) => Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = crypto.subtle.importKey(
    "raw",
    encoder.encode(`links.${secretKey}`),
    algorithm,
    false,
    [
      "sign",
    ],
  );
  return async (text) => {
    const mac = await crypto.subtle.sign("HMAC", await key, encoder.encode(text));
    return new Uint8Array(mac).toHex();
  };
}
