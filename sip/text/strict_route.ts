import { parseNameAddr } from "./uri.ts";

/** The Request-URI and the values of Route that a request goes out with. */
export interface Routed {
  target: string;
  routes: readonly string[];
}

/** The parameter by which a proxy says that it follows Route (RFC 3261 §16.12.1.1). */
const loose = /;[ \t]*lr(?:[=;>\s]|$)/i;

/**
 * A request whose first proxy lacks `lr`, and so routes by the Request-URI (RFC 3261 §12.2.1.1): the
 * proxy's address stands there, and the target is the last Route. Others stay as they are.
 */
export function routedStrictly({ target, routes: [first, ...rest] }: Routed): Routed | undefined {
  if (first === undefined || loose.test(first)) return undefined;
  const uri = parseNameAddr(first)?.uri.clone();
  if (uri === undefined || !/^sips?$/.test(uri.scheme)) return undefined;
  // Parts that a Request-URI must not have (§19.1.1).
  uri.clearHeaders();
  uri.deleteParam("method");
  return { target: uri.toRaw(), routes: [...rest, `<${target}>`] };
}
