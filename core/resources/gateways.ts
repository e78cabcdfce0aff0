import { z } from "zod";
import { flag, wholeNumber, word } from "../fields.ts";
import { limits } from "../limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** `[sip:]host[:port][;transport=…]` with a name, an IPv4 or a bracketed IPv6 address for the host. */
const proxy = z.string().trim().max(255).regex(
  /^(?:sips?:)?(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:;transport=(?:udp|tcp|tls|ws|wss))?$/,
  "must be the address of a SIP proxy: host, host:port or sip:host",
);

/** A registration of this service, as a SIP client, with a SIP proxy. */
export const gateways = resource({
  type: "Gateway",
  path: "Management/Gateways",
  sidPrefix: "GW",
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength),
    userName: word(128),
    password: z.string().min(1).max(limits.passwordLength),
    proxy,
    register: flag,
    /** Seconds that a registration lasts. */
    ttl: wholeNumber(60, 86_400),
    status: z.enum(["registered", "unregistered", "failed"]),
    /** Why it failed. */
    reason: z.string().nullable(),
  },
  secret: ["password"],
  create: {
    required: ["userName", "password", "proxy"],
    optional: ["friendlyName", "register", "ttl"],
  },
  update: ["friendlyName", "userName", "password", "proxy", "register", "ttl"],
  defaults: {
    friendlyName: ({ userName }) => userName.slice(0, limits.friendlyNameLength),
    register: true,
    ttl: 3_600,
    status: "unregistered",
    reason: null,
  },
  filters: { friendlyName: "equals", userName: "equals" },
  removable: true,
});

export type Gateway = RecordOf<typeof gateways>;
