import { z } from "zod";
import { isPort } from "./address.ts";

/** `[sip:]host[:port][;transport=…]` with a name, an IPv4 or a bracketed IPv6 address for the host. */
export const proxyAddress = z.string().trim().max(255).regex(
  /^(?:sips?:)?(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:;transport=(?:udp|tcp|tls|ws|wss))?$/,
  "must be the address of a SIP proxy: host, host:port or sip:host",
).refine((text) => {
  const port = /:(\d{1,5})(?:;|$)/.exec(text)?.[1];
  return port === undefined || isPort(port);
}, "must have a port from 1 to 65535");
