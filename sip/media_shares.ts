import { learnedTenant } from "../core/base/learned_tenants.ts";
import { mayHoldMore, reserveOf } from "../core/base/shares.ts";
import { type LegOptions, type MediaEngine, type MediaLeg, MediaShortage } from "./media/mod.ts";

/**
 * Shares of tenants of this companion's RTP ports: one tenant's calls would otherwise use up all of them.
 * A tenant's share shrinks while others use ports (`mayHoldMore`). A reserve is for tenants that hold few
 * pairs yet, an eighth of it or two. The operator's own calls, those of the root account, have no bound
 * but the number of ports.
 */
export interface SharedMedia extends MediaEngine {
  /** Tells whose account is the operator's. */
  learnOperator(accountSid: string): void;
  /** The tenants that can have no further pair now. */
  fullTenants(): string[];
}

/** Ports from which a system gives any that is free, Linux by default 28,232 of them. */
const systemPairs = 14_000;

/**
 * Pairs that a process has where the system chooses the ports: a pair takes two descriptors, and half of
 * all descriptors, as many as there are connections, are not for connections.
 */
export const pairsOfSystem = (connections: number): number =>
  Math.min(systemPairs, Math.floor(connections / 2));

/** Bounds the pairs of ports of plain RTP that a tenant has of an engine; of 0 pairs, not at all. */
export function createSharedMedia(engine: MediaEngine, pairs: number): SharedMedia {
  const held = new Map<string, number>();
  const few = Math.max(2, Math.floor(reserveOf(pairs) / 8));
  let all = 0;
  let operator: string | undefined;

  function hasRoom(tenant: string): boolean {
    if (pairs === 0 || tenant === operator) return true; // The engine tells when all ports are taken.
    return mayHoldMore({ own: held.get(tenant) ?? 0, all, most: pairs, few });
  }

  function add(tenant: string, by: 1 | -1): void {
    all += by;
    const own = (held.get(tenant) ?? 0) + by;
    if (own > 0) held.set(tenant, own);
    else held.delete(tenant);
  }

  async function open(
    accountSid: string | undefined,
    make: () => Promise<MediaLeg>,
  ): Promise<MediaLeg> {
    if (accountSid === undefined) return await make();
    const tenant = learnedTenant(accountSid);
    if (!hasRoom(tenant)) throw new MediaShortage(refusalOf(held.get(tenant) ?? 0), "share");
    add(tenant, 1);
    let isHeld = true;
    const giveBack = () => {
      if (isHeld) add(tenant, -1);
      isHeld = false;
    };
    try {
      const leg = await make();
      const close = leg.close.bind(leg);
      leg.close = () => {
        giveBack();
        close();
      };
      return leg;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  const refusalOf = (own: number) =>
    `the account and those that share its tenant hold ${own} of the ${pairs} port pairs for plain RTP, ` +
    "and the others are used by other tenants or kept for them";

  return {
    answer: (offer, options) =>
      isPlain(offer)
        ? open(options?.accountSid, () => engine.answer(offer, withoutAccount(options)))
        : engine.answer(offer, withoutAccount(options)),
    offer: (kind = "webrtc", options = {}) =>
      kind === "rtp"
        ? open(options.accountSid, () => engine.offer(kind, withoutAccount(options)))
        : engine.offer(kind, withoutAccount(options)),
    conference: () => engine.conference(),
    close: () => engine.close(),
    hasRoomFor: (accountSid, offer) => !isPlain(offer) || hasRoom(learnedTenant(accountSid)),
    learnOperator: (accountSid) => operator = accountSid,
    fullTenants: () => [...held.keys()].filter((tenant) => !hasRoom(tenant)),
  };
}

/** True when the offered media take a pair of ports: browsers share one port. */
const isPlain = (offer: string): boolean => !/\bRTP\/SAVPF\b/.test(offer);

const withoutAccount = ({ accountSid: _, ...options }: LegOptions = {}): LegOptions => options;
