import { z } from "zod";
import { limits } from "../base/limits.ts";
import { type RecordOf, resource } from "../model/resource.ts";

export const role = z.enum(["Administrator", "Developer"]);

/** A tenant: owner of resources, holder of credentials, node of the tree of accounts. */
export const accounts = resource({
  type: "Account",
  path: "Accounts",
  sidPrefix: "AC",
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength),
    emailAddress: z.email().max(254),
    role,
    status: z.enum(["active", "suspended", "closed"]),
    type: z.literal("Full"),
    /** 32 hex digits, derived from the password. */
    authToken: z.string(),
    /** From the root down to the parent; empty on the root account. */
    ancestors: z.array(z.string()),
    /** Only ever a parameter: it becomes the AuthToken and is not kept. */
    password: z.string().min(1).max(limits.passwordLength),
  },
  hidden: ["accountSid", "ancestors", "password"],
  secret: ["authToken"],
  create: { required: ["emailAddress", "password"], optional: ["role", "friendlyName", "status"] },
  update: ["friendlyName", "status", "password", "role"],
  unique: ["emailAddress"],
  subresources: [
    "AvailablePhoneNumbers",
    "Calls",
    "Conferences",
    "IncomingPhoneNumbers",
    "Notifications",
    "OutgoingCallerIds",
    "Recordings",
    "Sandbox",
    "SMS/Messages",
    "Transcriptions",
  ],
});

/** `accountSid` is the parent's Sid, empty on the root account. */
export type Account = Omit<RecordOf<typeof accounts>, "password">;
