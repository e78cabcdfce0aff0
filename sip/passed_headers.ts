import type { IncomingRequestMessage, IncomingResponseMessage } from "sip.js/lib/core/index.js";
import { sipLimits } from "./limits.ts";

/**
 * The headers that are the customers' own: X- and User-to-User (RFC 7433), the first of a name.
 */
export function passedHeaders(
  message: IncomingRequestMessage | IncomingResponseMessage,
): Record<string, string> {
  const passed = Object.entries(message.headers)
    .filter(([name]) => /^(x-|user-to-user$)/i.test(name))
    .filter(([, values]) => (values[0]?.raw.length ?? 0) <= sipLimits.passedHeaderLength)
    .slice(0, sipLimits.passedHeaders)
    .map(([name, values]) => [name, values[0]?.raw ?? ""]);
  return Object.fromEntries(passed);
}
