const encoder = new TextEncoder();

/** Signs texts that come back to the service: HMAC-SHA256 under the server's secret, in hex. */
export interface ServerSigner {
  sign(text: string): Promise<string>;
  /** True when a signature is that of the text. */
  verify(text: string, signature: string): Promise<boolean>;
}

/** Signs under `secretKey`, and accepts signatures under that or `otherKey`. */
export function serverSigner(secretKey: string, otherKey = ""): ServerSigner {
  const keys = [secretKey, otherKey].filter((one) => one !== "").map(importKey);
  return {
    async sign(text) {
      const key = await importKey(secretKey);
      return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))).toHex();
    },
    async verify(text, signature) {
      if (!/^[0-9a-f]{64}$/.test(signature)) return false;
      const mac = Uint8Array.fromHex(signature);
      for (const key of keys) {
        if (await crypto.subtle.verify("HMAC", await key, mac, encoder.encode(text))) return true;
      }
      return false;
    },
  };
}

const importKey = (secretKey: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    "raw",
    encoder.encode(`links.${secretKey}`),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign", "verify"],
  );
