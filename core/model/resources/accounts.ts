import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

export const role = z.enum(["Administrator", "Developer"]);

/** A tenant: owner of resources, holder of credentials, node of the tree of accounts. */
export const accounts = resource({
  type: "Account",
  description:
    "A tenant: the owner of all other resources, the holder of credentials, and a node of the tree of accounts.",
  path: "Accounts",
  sidPrefix: "AC",
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength).describe(
      "Name of the account, for people; the e-mail address unless set.",
    ),
    emailAddress: z.email().max(254).describe(
      "E-mail address of the account, unique in the service; it may stand for the Sid in paths and credentials.",
    ),
    role: role.describe(
      "Role of the account: an Administrator may create accounts, change roles and manage gateways; a Developer may not.",
    ),
    status: z.enum(["active", "suspended", "closed"]).describe(
      "Status of the account: only an active one may make changes; closed is final.",
    ),
    type: z.enum(["Full", "Test"]).describe(
      "Type of the account: Full (default), or Test, whose calls and texts are simulated and free.",
    ),
    authToken: z.string().describe(
      "Password of HTTP Basic authentication and key of webhook signatures: 32 hex digits, derived from the password.",
    ),
    /** Authenticates as well, while customers change to it. */
    secondaryAuthToken: z.string().nullable().optional(),
    /** Hash of the password, once the AuthToken is not derived from it any more. */
    passwordVerifier: z.string().nullable().optional(),
    /** Hours of the latest requests with either token, in ms; `AuthTokens` shows them. */
    dateAuthTokenLastUsed: z.number().nullable().optional(),
    dateSecondaryAuthTokenLastUsed: z.number().nullable().optional(),
    /** Time of its first limit, in ms; null without one (`values/account_limits.ts`). */
    limitedSince: z.number().nullable().optional(),
    /** From the root down to the parent; empty on the root account. */
    ancestors: z.array(z.string()),
    password: z.string().min(1).max(limits.passwordLength).describe(
      "Password that the AuthToken is derived from; it is not kept, and a new password makes a new AuthToken.",
    ),
  },
  hidden: [
    "accountSid",
    "secondaryAuthToken",
    "passwordVerifier",
    "dateAuthTokenLastUsed",
    "dateSecondaryAuthTokenLastUsed",
    "limitedSince",
    "ancestors",
    "password",
  ],
  secret: ["authToken", "secondaryAuthToken", "passwordVerifier"],
  create: {
    required: ["emailAddress", "password"],
    optional: ["role", "friendlyName", "status", "type"],
  },
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
