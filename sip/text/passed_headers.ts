import type { IncomingRequestMessage, IncomingResponseMessage } from "../base/sip_js.ts";
import { sipLimits } from "../base/limits.ts";
import { plainText } from "./plain_text.ts";

/**
 * The headers that are the customers' own: X- and User-to-User (RFC 7433), the first of a name, as
 * plain text. Half of a value would be worse than none, so long ones are left out.
 */
export function passedHeaders(
  message: IncomingRequestMessage | IncomingResponseMessage,
): Record<string, string> {
  const names = Object.keys(message.headers).filter((name) => /^(x-|user-to-user$)/i.test(name));
  if (names.length === 0) return {};
  const passed = names.map((name) => [name, message.headers[name] ?? []] as const)
    .filter(([, values]) => (values[0]?.raw.length ?? 0) <= sipLimits.passedHeaderLength)
    .slice(0, sipLimits.passedHeaders)
    .map(([name, values]) => [name, plainText(values[0]?.raw ?? "", sipLimits.passedHeaderLength)]);
  return Object.fromEntries(passed);
}
