import type { AnyResource } from "../model/resource.ts";
import { keys, newKeys } from "../model/resources/keys.ts";
import {
  authTokenUses,
  promotedAuthTokens,
  secondaryAuthTokens,
} from "../model/resources/views/auth_tokens.ts";
import { accountPath, type Operation } from "./operation.ts";
import { createOperation, regularForms, regularOperations } from "./regular.ts";
import { type JsonSchema, recordSchema, refTo } from "./schemas.ts";

const { create: _, ...withoutCreate }: AnyResource = keys;
const { type: tag } = secondaryAuthTokens;

/** API keys, and the change of an AuthToken. */
export const credentialOperations: Operation[] = [
  createOperation(keys, {
    answer: refTo("NewKey"),
    description: "Creates a Key. Only this response has its secret.",
  }),
  ...regularOperations(withoutCreate),
  {
    method: "get",
    path: `${accountPath}/${authTokenUses.path}`,
    id: "fetchAuthTokenUse",
    summary: "Reads when the AuthTokens were used last",
    tag,
    answer: refTo(authTokenUses.type),
  },
  {
    method: "post",
    path: `${accountPath}/AuthTokens/Secondary`,
    id: "createSecondaryAuthToken",
    summary: "Makes a secondary AuthToken",
    description: "Makes a second AuthToken, which authenticates beside the first. " +
      "Webhooks are signed with the first.",
    tag,
    answer: refTo(secondaryAuthTokens.type),
    isMaking: true,
  },
  {
    method: "delete",
    path: `${accountPath}/AuthTokens/Secondary`,
    id: "deleteSecondaryAuthToken",
    summary: "Deletes the secondary AuthToken",
    tag,
  },
  {
    method: "post",
    path: `${accountPath}/AuthTokens/Promote`,
    id: "promoteAuthToken",
    summary: "Puts the secondary AuthToken in the place of the first",
    description: "The first one ends at once; at the console the password is still good. " +
      "Webhooks are signed with the promoted one from now on.",
    tag,
    answer: refTo(promotedAuthTokens.type),
    isMaking: true,
  },
];

export const credentialForms: Record<string, JsonSchema> = {
  ...regularForms(keys),
  NewKey: recordSchema(newKeys),
  [authTokenUses.type]: recordSchema(authTokenUses, { isAddressed: false }),
  [secondaryAuthTokens.type]: recordSchema(secondaryAuthTokens, { isAddressed: false }),
  [promotedAuthTokens.type]: recordSchema(promotedAuthTokens, { isAddressed: false }),
};
