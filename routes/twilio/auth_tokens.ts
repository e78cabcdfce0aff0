import { iso8601 } from "../../core/base/wire.ts";
import type { Account } from "../../core/model/resources/accounts.ts";
import type { Forms } from "../http/answer.ts";
import { element, escapeXml } from "../http/xml.ts";

/** Path by which Twilio's libraries change the AuthTokens of the account of their credentials. */
export const authTokensPath = "/v1/AuthTokens";

const formsOf = (type: string, path: string, token: (account: Account) => [string, string]) =>
(
  account: Account,
): Forms => {
  const [name, value] = token(account);
  const fields = {
    account_sid: account.sid,
    date_created: iso8601(account.dateCreated),
    date_updated: iso8601(account.dateUpdated),
    [name]: value,
    url: `${authTokensPath}/${path}`,
  };
  const xml = () =>
    element(
      type,
      Object.entries(fields).map(([key, text]) => element(key, escapeXml(text))).join(""),
    );
  return { json: () => fields, xml };
};

/** Response of their interface to a change. */
export const twilioAuthTokens = {
  secondary: formsOf("SecondaryAuthToken", "Secondary", ({ secondaryAuthToken }) => [
    "secondary_auth_token",
    secondaryAuthToken ?? "",
  ]),
  promoted: formsOf("AuthTokenPromotion", "Promote", ({ authToken }) => ["auth_token", authToken]),
  made: 201 as const,
};
