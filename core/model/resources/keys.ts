import { z } from "zod";
import { rfcDate } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { type AnyResource, type RecordOf, resource } from "../resource.ts";
import { role } from "./accounts.ts";

/** Credentials of a program beside the AuthToken of its account. */
export const keys = resource({
  type: "Key",
  description:
    "An API key: its Sid and its secret are the credentials of a program, which can be " +
    "revoked without a new AuthToken.",
  path: "Keys",
  sidPrefix: "SK",
  irregular: true,
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength).describe(
      "Name of the key, for people; its Sid unless set.",
    ),
    role: role.describe(
      "Role of requests with the key, at most that of the account. A Developer key (default) may " +
        "not read AuthTokens, change accounts or manage keys.",
    ),
    dateLastUsed: rfcDate.nullable().describe(
      "Hour of the latest request with the key, null before the first.",
    ),
    secretHash: z.string(),
  },
  hidden: ["secretHash"],
  create: { required: [], optional: ["friendlyName", "role"] },
  update: ["friendlyName"],
  removable: true,
  defaults: { role: "Developer", dateLastUsed: null },
  unique: ["secretHash"],
});

export type Key = RecordOf<typeof keys>;

const regular: AnyResource = keys;

/** The same as the response to its creation shows it. */
export const newKeys: AnyResource = {
  ...regular,
  fields: {
    ...keys.fields,
    secret: z.string().describe("The secret: the password of the key. It is shown once."),
  },
};
