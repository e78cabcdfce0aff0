import { z } from "zod";
import type { AnyResource } from "../../model/resource.ts";

const common = {
  path: "AuthTokens",
  sidPrefix: "",
  irregular: true,
  hidden: ["sid"],
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
