/**
 * Repeated wrong credentials wait: 429 before the store is read. Delayed answers would keep connections
 * open, and a lock of the address would lock out its other programs. A bound for each user of a network,
 * and a wider one for the network, do neither.
 *
 * - A client behind the same NAT as a customer can send wrong credentials for many users. A program of
 *   the customer that was never right before then waits for some tries, a second each.
 * - A 401 takes 0.8 to 1.1 times the CPU time of a GET, since its read of the store is shared with others
 *   of the moment, and the request's address is read once. A 429 takes 1.0 to 1.3 times that of a 401:
 *   it spares the store the read, not the process the request.
 */
import { createHmac, randomBytes } from "node:crypto";
import { refusalLimits } from "./limits.ts";
import { tokenBuckets } from "./token_buckets.ts";

/** Credentials of a request, and their network. */
export interface Claim {
  /** The network of the client. */
  network: string;
  user: string;
  password: string;
}

/** Counts wrong credentials, so that their sender waits, and others in its network do not. */
export interface RefusalCap {
  /** The whole seconds until these credentials may be looked up; 0: now. */
  waitOf(claim: Claim): number;
  /** True after recent wrong credentials: from the network, or from it for the user. */
  hasRefused(claim: Claim): boolean;
  refused(claim: Claim): void;
  accepted(claim: Claim): void;
}

/**
 * A cap of this instance, by user and network and by network alone. Credentials that were valid
 * recently are always looked up: no client is locked out by others in its network.
 */
export function createRefusalCap(
  now: () => number,
  limits: Record<keyof typeof refusalLimits, number> = refusalLimits,
): RefusalCap {
  const { ofUser, perUserS, ofNetwork, perNetworkS, known: mostKnown } = limits;
  const user = { perSecond: perUserS, most: ofUser, mostKnown };
  const network = { perSecond: perNetworkS, most: ofNetwork, mostKnown };
  const [users, networks] = [tokenBuckets(user, now), tokenBuckets(network, now)];
  // By a hash, so that no memory has all passwords; the key is of this process.
  const key = randomBytes(16);
  const right = new Set<string>();
  const hashOf = (...parts: string[]) =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64");
  const userOf = ({ network, user }: Claim) => `${network} ${user.slice(0, 100).toLowerCase()}`;
  const nameOf = ({ user, password }: Claim) => hashOf(user, password);
  const shortOf = (claim: Claim) =>
    Math.max(networks.waitOf(claim.network), users.waitOf(userOf(claim)));

  return {
    waitOf(claim) {
      const waitS = shortOf(claim);
      return waitS > 0 && right.has(nameOf(claim)) ? 0 : waitS;
    },
    hasRefused: (claim) =>
      networks.tokensOf(claim.network) < ofNetwork || users.tokensOf(userOf(claim)) < ofUser,
    refused(claim) {
      if (shortOf(claim) > 0) right.delete(nameOf(claim)); // They were looked up, and are right no more.
      networks.take(claim.network);
      users.take(userOf(claim));
    },
    accepted(claim) {
      const name = nameOf(claim);
      right.delete(name); // It becomes the newest one.
      right.add(name);
      const [oldest = name] = right;
      if (right.size > limits.accepted) right.delete(oldest);
    },
  };
}
