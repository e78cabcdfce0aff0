/** The operator's settings of trunks. */
export interface TrunkSettings {
  /** Proxy for calls that no Gateway takes; null without one. */
  outboundProxy: {
    /** `[sip:|sips:]host[:port][;transport=…]` */
    proxy: string;
    credentials?: { userName: string; password: string };
  } | null;
  /** Hosts that `sip:` addresses may name; public ones alone where `*.` or `*` stands for them. */
  sipHosts: string[];
  /** Customers' hosts may be private addresses. */
  allowPrivate: boolean;
  /** ISO 3166-1: where numbers without `+` are dialled; null when they are taken as they are. */
  country: string | null;
  /** The provider vouches for the holders of numbers: accounts may reach each other's by them. */
  numbersVouched: boolean;
  /** Accounts, beside the root's, whose virtual numbers the operator's trunks reach; those below too. */
  virtualNumberAccounts: string[];
  /** Prefixes of the numbers that calls and texts may leave to; without one, every number. */
  prefixes: string[];
  /** Prefixes of the premium-rate and satellite numbers that they may leave to besides. */
  premiumPrefixes: string[];
  /** Price of a minute to a number, in millionths. */
  rateMicros(number: string): number;
}
