import {
  acceptedSecrets,
  type BridgeSecret,
  signingSecret,
} from "../../core/protocol/bridge_secret.ts";
import { createHmac, timingSafeEqual } from "node:crypto";
import { parseReplaces, type Replaces } from "./replaces.ts";

/** A leg of any companion of the installation. */
export interface LegName {
  leg: string;
  accountSid: string;
}

/**
 * Names of legs in Replaces, for a leg whose dialog is at another companion than the one that reads
 * the header. A name cannot be guessed: it is signed by the secret that companions share.
 */
export interface LegNames {
  /** A value of Replaces (RFC 3891 §6.1). */
  write(name: LegName): string;
  /** Undefined where a Replaces names a dialog, or its signature is wrong. */
  read(replaces: Replaces): LegName | undefined;
}

/** Names by the secret that service and companions share. */
export function createLegNames(secret: BridgeSecret): LegNames {
  const mac = (callId: string, key: string): Uint8Array =>
    createHmac("sha256", key).update(`leg ${callId}`).digest();
  return {
    write({ leg, accountSid }) {
      const callId = `${leg}@${accountSid}`;
      return `${callId};to-tag=${mac(callId, signingSecret(secret)).toHex()};from-tag=leg`;
    },
    read({ callId, toTag }) {
      const [leg = "", accountSid = ""] = callId.split("@");
      if (accountSid === "" || !/^[0-9a-f]{64}$/.test(toTag)) return undefined;
      const tag = Uint8Array.fromHex(toTag);
      const isOurs = acceptedSecrets(secret).some((key) => timingSafeEqual(mac(callId, key), tag));
      return isOurs ? { leg, accountSid } : undefined;
    },
  };
}

/** Names the leg that an INVITE to another companion places. It begins with no X-, as the proof. */
export const legHeader = "Switchboard-Leg";

/** The name in the header of an INVITE that another companion has proven to be its own. */
export function legNamedBy(names: LegNames, header: string | undefined): LegName | undefined {
  const replaces = parseReplaces(header ?? "");
  return replaces && names.read(replaces);
}
