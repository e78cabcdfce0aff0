import { type Exchange, unanswered } from "../base/exchange.ts";
import type { Delivery } from "../model/resources/deliveries.ts";
import type { Signable } from "../base/signature.ts";

type Requested = Pick<Delivery, "url" | "method" | "requestVariables">;

/** The request of a delivery as others may see it, without an answer. */
export const shownRequest = ({ url, method, requestVariables: params }: Requested): Exchange =>
  unanswered({ url, method, params });

/** The request of a delivery as it is sent. */
export function signableOf(delivery: Delivery): Signable {
  const { url, method, requestVariables: params, credentials } = delivery;
  if (credentials === null) return { url, method, params };
  const target = new URL(url);
  const [username = "", password = ""] = credentials.split(":");
  Object.assign(target, { username, password });
  return { url: target.href, method, params };
}
