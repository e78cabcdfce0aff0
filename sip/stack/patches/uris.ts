import { URI } from "sip.js/lib/core/index.js";

// The library declares it private.
const { escapeUser } = URI.prototype as unknown as { escapeUser(user: string): string };

/** Signs that may stand in a user part as they are, and mean something else than their escapes (RFC 3261 §25.1). */
const userSigns = /([;=&$,])/;

/** Writes the parameters of a telephone number in a user part as they came (§19.1.6), not escaped. */
export function replaceUris(): void {
  Object.assign(URI.prototype, {
    escapeUser: (user: string) =>
      userSigns.test(user)
        ? user.split(userSigns).map((part, at) => at % 2 === 1 ? part : escapeUser(part)).join("")
        : escapeUser(user),
  });
}
