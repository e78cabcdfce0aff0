import { z } from "zod";
import { flag, wholeNumber, word } from "../../base/fields.ts";
import { notifyGateways } from "../job_kinds.ts";
import { proxyAddress } from "../values/proxy_address.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** State of a Gateway until a companion reports another one. */
export const notRegistered = { status: "unregistered", reason: null, companionId: null } as const;

/** Another value of one of these is another registration. */
const registeredBy = ["userName", "password", "proxy", "register", "ttl"] as const;

/** A registration of this service, as a SIP client, with a SIP proxy. */
export const gateways = resource({
  type: "Gateway",
  description:
    "A SIP trunk: a SIP proxy of a carrier, with which the service can register as a client.",
  path: "Management/Gateways",
  sidPrefix: "GW",
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength).describe(
      "Name of the gateway, for people; the UserName unless set.",
    ),
    userName: word(128).describe("User name at the proxy."),
    password: z.string().min(1).max(limits.passwordLength).describe(
      "Password of SIP digest authentication at the proxy.",
    ),
    proxy: proxyAddress.describe(
      "Address of the proxy: a host with an optional port and transport.",
    ),
    register: flag.describe(
      "Whether the service registers with the proxy: true (default) or false.",
    ),
    ttl: wholeNumber(60, 86_400).describe("Seconds that a registration lasts (default 3600)."),
    status: z.enum(["registered", "unregistered", "failed"]).describe(
      "Status of the registration: registered, unregistered or failed.",
    ),
    reason: z.string().nullable().describe("Cause of a failed registration, null for any other."),
    /** The companion that speaks for its registration; null when none does. */
    companionId: z.string().nullable(),
  },
  hidden: ["companionId"],
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
    ...notRegistered,
  },
  filters: { friendlyName: "equals", userName: "equals" },
  groups: {
    registering: ({ register }) => register ? "yes" : null,
    kept: ({ companionId }) => companionId,
  },
  tenantGroups: { tenantGateways: () => true },
  removable: true,
  created: (gateway) => ({ record: gateway, jobs: gateway.register ? [notifyGateways({})] : [] }),
  updated(before, after) {
    if (registeredBy.every((field) => before[field] === after[field])) return { record: after };
    return { record: { ...after, ...notRegistered }, jobs: [notifyGateways({})] };
  },
  removed: (gateway) => ({ record: gateway, jobs: gateway.register ? [notifyGateways({})] : [] }),
});

export type Gateway = RecordOf<typeof gateways>;
