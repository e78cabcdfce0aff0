import { networkOf } from "../../core/base/networks.ts";
import type { IncomingRequestMessage } from "../base/sip_js.ts";
import { keyOf } from "../text/binding_key.ts";
import type { Binding } from "../text/location.ts";

/**
 * Name of the registered device that a request comes from, within its network; undefined for others. The
 * device uses the Call-ID of its registration, which cannot be guessed (RFC 3261 §8.1.1.4), or has the
 * same instance or Contact. Failures of each are counted apart: a source that guesses a Contact does not
 * lock out the device.
 */
export function registeredAs(
  bindings: readonly Binding[],
  message: IncomingRequestMessage,
  host: string,
): string | undefined {
  const network = networkOf(host);
  const near = bindings.filter(({ flow }) => networkOf(flow.remote.host) === network);
  if (near.length === 0) return undefined;
  if (near.some(({ callId }) => callId === message.callId)) return `call ${message.callId}`;
  const contacts = (message.headers["Contact"] ?? []).map(({ parsed }) => parsed);
  const found = near.find(({ key, instance }) =>
    contacts.some((contact) =>
      contact !== "*" && contact !== undefined &&
      (keyOf(contact) === key || contact.getParam("+sip.instance") === (instance ?? ""))
    )
  );
  return found && `at ${found.instance ?? found.key}`;
}
