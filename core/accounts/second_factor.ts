import type { Ports } from "../model/ports/ports.ts";
import { changeGuard, guardOf } from "./session_guard.ts";
import { sha256 } from "./hash.ts";
import { consoleLimits } from "./session_limits.ts";
import { endSessions } from "./sessions.ts";
import { base32, stepOf } from "./totp.ts";

type FactorPorts = Pick<Ports, "records" | "newSid" | "now" | "steadyNow">;

/** Bytes of a shared secret: those of the hash (RFC 4226 §4). */
const secretBytes = 20;

/**
 * A new shared secret, in Base32. It counts once a code proves that an app has it. Each offer is
 * another secret, so that one that was seen before is of no use. Null where a factor is on.
 */
export async function offerFactor(accountSid: string, ports: FactorPorts): Promise<string | null> {
  const fresh = base32(crypto.getRandomValues(new Uint8Array(secretBytes)));
  const { pendingSecret } = await changeGuard(
    accountSid,
    ({ totpSecret }) => ({ pendingSecret: totpSecret === null ? fresh : null }),
    ports,
  );
  return pendingSecret;
}

/** The secret that was offered last and waits for its first code; null where there is none. */
export const offeredSecret = async (
  accountSid: string,
  ports: FactorPorts,
): Promise<string | null> => (await guardOf(accountSid, ports))?.pendingSecret ?? null;

/**
 * Turns the offered factor on with its first code. The recovery codes, which nothing shows again; null
 * for a wrong code.
 */
export async function confirmFactor(
  accountSid: string,
  code: string,
  ports: FactorPorts,
): Promise<string[] | null> {
  const guard = await guardOf(accountSid, ports);
  const secret = guard?.pendingSecret ?? null;
  if (secret === null) return null;
  const plain = code.replaceAll(/\s/g, "");
  const step = await stepOf(plain, { secret, lastStep: 0, now: ports.now() });
  if (step === null) return null;
  const codes = Array.from({ length: consoleLimits.recoveryCodes }, recoveryCode);
  const recoveryHashes = await Promise.all(codes.map((one) => sha256(one.replaceAll("-", ""))));
  const guarded = await changeGuard(
    accountSid,
    // Another request may have offered another secret, or turned it on, meanwhile.
    ({ pendingSecret }) =>
      pendingSecret === secret
        ? { totpSecret: secret, pendingSecret: null, lastStep: step, recoveryHashes }
        : {},
    ports,
  );
  return guarded.recoveryHashes === recoveryHashes ? codes : null;
}

const noFactor = { totpSecret: null, pendingSecret: null, recoveryHashes: [], lastStep: 0 };

/** Turns the second factor off. */
export async function removeFactor(accountSid: string, ports: FactorPorts): Promise<void> {
  await changeGuard(accountSid, () => noFactor, ports);
}

/**
 * Turns the second factor of an account off for an owner who has lost it, with the lock-out that wrong
 * codes led to; all its sessions end.
 */
export async function resetFactor(
  accountSid: string,
  ports: FactorPorts & Pick<Ports, "accounts" | "settings">,
): Promise<void> {
  await changeGuard(accountSid, () => ({ ...noFactor, wrongCodes: [], codeNetworks: [] }), ports);
  await endSessions(accountSid, ports);
}

/** 50 bits in two groups of letters and digits that are not taken for one another. */
function recoveryCode(): string {
  const text = base32(crypto.getRandomValues(new Uint8Array(7))).toLowerCase();
  return `${text.slice(0, 5)}-${text.slice(5, 10)}`;
}
