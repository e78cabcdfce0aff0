import { Fault } from "../base/faults.ts";
import { creation, newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import { type ConsoleGuard, consoleGuards } from "../model/resources/console/guards.ts";
import { sha256 } from "./hash.ts";
import { consoleLimits } from "./session_limits.ts";
import { stepOf } from "./totp.ts";

type GuardPorts = Pick<Ports, "records" | "newSid" | "now" | "steadyNow">;

/** One Sid for each account, so that two first failures cannot make two. */
const sidOf = (accountSid: string) => consoleGuards.sidPrefix + accountSid.slice(2);

/** The guard of an account; null before its first failure or second factor. */
export const guardOf = (
  accountSid: string,
  { records }: GuardPorts,
): Promise<ConsoleGuard | null> => records.consoleGuards.get(accountSid, sidOf(accountSid));

/** Changes the guard of an account, which is made when there is none. */
export async function changeGuard(
  accountSid: string,
  change: (guard: ConsoleGuard) => Partial<ConsoleGuard>,
  ports: GuardPorts,
): Promise<ConsoleGuard> {
  const records = ports.records.consoleGuards;
  const sid = sidOf(accountSid);
  const changed = (before: ConsoleGuard) => {
    const sent = change(before);
    if (Object.keys(sent).length === 0) return { record: before };
    return { record: { ...before, ...sent, dateUpdated: ports.now() } };
  };
  if (await records.get(accountSid, sid) === null) {
    const base = { ...newBase(consoleGuards, accountSid, ports), sid };
    try {
      return await records.insert(changed(creation(consoleGuards, {}, base).record));
    } catch (error) {
      const isMade = error instanceof Fault && error.fault === "alreadyExists";
      if (!isMade) throw error;
    }
  }
  return await records.update(accountSid, sid, changed);
}

/** Returns whether codes from a network are refused now, for wrong ones that came before. */
export function isLocked(
  { wrongCodes, codeNetworks }: Pick<ConsoleGuard, "wrongCodes" | "codeNetworks">,
  network: string,
  now: number,
): boolean {
  const own = wrongCodes.filter((one) => one.network === network);
  const beyond = own.length - consoleLimits.wrongCodes;
  const lockMs = Math.min(consoleLimits.lockMs * 2 ** beyond, consoleLimits.longestLockMs);
  if (beyond >= 0 && now < (own.at(-1)?.at ?? 0) + lockMs) return true;
  return wrongCodes.length >= consoleLimits.allWrongCodes && !codeNetworks.includes(network);
}

/** Code of a second factor, and the network that sent it. */
interface SentCode {
  code: string;
  /** The network of the browser. */
  network: string;
}

/**
 * Takes a code of the second factor, or a recovery code, which is used up. False when it is wrong, or
 * the network is locked. Wrong codes are counted, and locks read, in the commit: of codes that come at
 * once, no more count than of those that come one after the other.
 */
export async function takeCode(
  accountSid: string,
  { code, network }: SentCode,
  ports: GuardPorts,
): Promise<boolean> {
  const guard = await guardOf(accountSid, ports);
  if (guard === null || guard.totpSecret === null) return true;
  const now = ports.now();
  const plain = code.replaceAll(/[\s-]/g, "").toLowerCase();
  const step = await stepOf(plain, { secret: guard.totpSecret, lastStep: guard.lastStep, now });
  const hash = await sha256(plain);
  const at = ports.steadyNow();
  let isTaken = false;
  await changeGuard(accountSid, (before) => {
    const wrongCodes = before.wrongCodes.filter((one) => at - one.at < consoleLimits.codesMs);
    const isRefused = isLocked({ ...before, wrongCodes }, network, at);
    // Of two requests with one code, only the first finds it in the store.
    const isFresh = !isRefused && step !== null && step > before.lastStep;
    const isRecovery = before.recoveryHashes.includes(hash);
    isTaken = isFresh || isRecovery;
    if (!isTaken) return isRefused ? {} : { wrongCodes: [...wrongCodes, { network, at }] };
    const others = before.codeNetworks.filter((one) => one !== network);
    return {
      wrongCodes: wrongCodes.filter((one) => one.network !== network),
      codeNetworks: [...others, network].slice(-consoleLimits.codeNetworks),
      ...isFresh && { lastStep: step },
      ...isRecovery && { recoveryHashes: before.recoveryHashes.filter((one) => one !== hash) },
    };
  }, ports);
  return isTaken;
}
