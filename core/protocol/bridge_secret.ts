/**
 * The secret that service and companions share. While it changes there are two: the first signs and
 * seals, and signatures and seals of the second are accepted as well.
 */
export type BridgeSecret = string | readonly [signing: string, accepted: string];

/** The secret to sign and seal with. */
export const signingSecret = (secret: BridgeSecret): string =>
  typeof secret === "string" ? secret : secret[0];

/** The secrets that another process may have signed and sealed with. */
export const acceptedSecrets = (secret: BridgeSecret): readonly string[] =>
  typeof secret === "string" ? [secret] : secret;

/** The secret by the configuration; without `other` it is one. */
export const bridgeSecretOf = (own: string, other: string): BridgeSecret =>
  other === "" ? own : [own, other];
