import type { IncomingRequestMessage, IncomingResponseMessage } from "sip.js/lib/core/index.js";
import { sipLimits } from "./limits.ts";

/**
 * The headers that are the customers' own: X- and User-to-User (RFC 7433), the first of a name. Our
 * own and those of the signalling stay inside.
 */
export function passedHeaders(
  message: IncomingRequestMessage | IncomingResponseMessage,
): Record<string, string> {
  const passed = Object.entries(message.headers)
    .filter(([name]) => /^(x-|user-to-user$)/i.test(name) && !/^x-switchboard-/i.test(name))
    .slice(0, sipLimits.passedHeaders)
    .map(([name, values]) => [name, values[0]?.raw ?? ""]);
  return Object.fromEntries(passed);
}
