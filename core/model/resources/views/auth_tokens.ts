import { z } from "zod";
import { rfcDate } from "../../../base/fields.ts";
import type { AnyResource } from "../../resource.ts";

const common = {
  path: "AuthTokens",
  sidPrefix: "",
  irregular: true,
  hidden: ["sid"],
};

/** Times of the last use of an account's AuthTokens. */
export const authTokenUses: AnyResource = {
  ...common,
  type: "AuthTokenUse",
  description: "When the AuthTokens of an account were used last.",
  fields: {
    dateAuthTokenLastUsed: rfcDate.nullable().describe(
      "Hour of the latest request with the AuthToken, null before the first. Those of the console do not count.",
    ),
    dateSecondaryAuthTokenLastUsed: rfcDate.nullable().describe(
      "The same of the secondary AuthToken, null without one.",
    ),
  },
};

/** The second AuthToken of an account, during a change of it. */
export const secondaryAuthTokens: AnyResource = {
  ...common,
  type: "SecondaryAuthToken",
  description:
    "A second AuthToken, which authenticates beside the first until it is promoted or deleted.",
  fields: { secondaryAuthToken: z.string().describe("The token. It is shown once.") },
};

/** The AuthToken after a change. */
export const promotedAuthTokens: AnyResource = {
  ...common,
  type: "AuthTokenPromotion",
  description: "The AuthToken of an account after the secondary one took its place.",
  fields: { authToken: z.string().describe("The AuthToken from now on.") },
};
