/** Puts one message on the wire, each time it is called. */
export type Put = () => Promise<void>;

/** A repetition that nothing waits for; where it fails, the next one may succeed. */
export const again = (put: Put): void => void put().catch(() => {});
