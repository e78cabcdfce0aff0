/**
 * Secrets between service and companion: passwords of trunks, HA1s and keys of Clients. They are sealed
 * under a key of BRIDGE_SECRET. Everything else is signed and readable, so a connection between machines
 * needs TLS or a private network.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { acceptedSecrets, type BridgeSecret, signingSecret } from "./bridge_secret.ts";

/** Fields whose values are encrypted: passwords, and hashes and keys, which serve as passwords. */
const secrets = ["password", "ha1", "tokenKey"];

const purpose = "what service and companion hide";

/** JSON with the values of secret fields sealed by AES-256-GCM under a key of BRIDGE_SECRET. */
export function writeSealed(bridgeSecret: BridgeSecret, content: unknown): string {
  const text = JSON.stringify(content);
  if (!mayHoldSecrets(text)) return text;
  const key = keyOf(signingSecret(bridgeSecret));
  return JSON.stringify(
    content,
    (name, value) =>
      secrets.includes(name) && value !== undefined
        ? seal(key, name, JSON.stringify(value))
        : value,
  );
}

/** Reads the text of `writeSealed`; throws where a secret is not sealed, or under another key. */
export function readSealed(bridgeSecret: BridgeSecret, text: string): unknown {
  if (!mayHoldSecrets(text)) return JSON.parse(text);
  const keys = acceptedSecrets(bridgeSecret).map(keyOf);
  return JSON.parse(
    text,
    (name, value) => secrets.includes(name) ? JSON.parse(openAny(keys, name, value)) : value,
  );
}

/**
 * True when a text may hold secrets. Most hold none, and a visit to every field would cost more
 * than all else.
 */
const mayHoldSecrets = (text: string): boolean =>
  secrets.some((name) => text.includes(`"${name}":`));

const keyOf = (bridgeSecret: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", bridgeSecret, "", purpose, 32));

function seal(key: Uint8Array, name: string, text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(new TextEncoder().encode(name));
  const parts = [iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return new Uint8Array(parts.flatMap((part) => [...part])).toBase64();
}

/** The text under the first key that opens it. */
function openAny(keys: Uint8Array[], name: string, sealed: unknown): string {
  let cause: unknown;
  for (const key of keys) {
    try {
      return open(key, name, sealed);
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(
    `Cannot open "${name}": it is not sealed with the BRIDGE_SECRET that this process has`,
    { cause },
  );
}

function open(key: Uint8Array, name: string, sealed: unknown): string {
  const bytes = Uint8Array.fromBase64(String(sealed));
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12))
    .setAAD(new TextEncoder().encode(name)).setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
}
