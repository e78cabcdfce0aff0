import { makeKey, secretOf } from "../accounts/make_key.ts";
import type { Base } from "../base/record.ts";
import { wholeNumber } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { type Key, keys as definition } from "../model/resources/keys.ts";
import { newToken } from "../model/resources/views/tokens.ts";
import { action, noun, works } from "./noun/noun.ts";
import { changed, fetched, given, listedOf, removed } from "./noun/regular.ts";
import { basic, date, text } from "./noun/written.ts";

const parameters = { FriendlyName: works(definition.fields.friendlyName) };

const keysAt = (path: string, plural: string) =>
  noun<Key>({
    type: "Key",
    path,
    plural,
    fields: {
      sid: ({ sid }) => sid,
      friendly_name: ({ friendlyName }) => friendlyName,
      date_created: ({ dateCreated }) => date(dateCreated),
      date_updated: ({ dateUpdated }) => date(dateUpdated),
      secret: secretOf,
    },
    address: null,
    create: action({
      parameters,
      async perform({ caller, account, ports }, { FriendlyName: friendlyName }) {
        return await makeKey({ caller, account }, given({ friendlyName }), ports);
      },
    }),
    fetch: fetched("keys"),
    update: action({
      parameters,
      perform: (asked, sent) => changed("keys", { friendlyName: sent.FriendlyName }, asked),
    }),
    remove: removed("keys"),
    listed: listedOf("keys", {}),
    note: "Roles are set by /2012-04-24; a key made here is of role Developer, as a Standard key",
  });

/** API keys, under the two names that Twilio has for them. */
export const keys = keysAt("Keys", "keys");
export const signingKeys = keysAt("SigningKeys", "signing_keys");

type Token = Base & {
  username: string | null;
  password: string | null;
  tokenTtl: number;
  iceServers: unknown[];
};

const { sid: _, ...shown } = basic;

/** ICE servers with credentials that expire. Nothing of it is stored. */
export const tokens = noun<Token>({
  type: "Token",
  path: "Tokens",
  plural: "tokens",
  isFleeting: true,
  fields: {
    ...shown,
    username: ({ username }) => username,
    password: ({ password }) => password,
    ttl: ({ tokenTtl }) => text(tokenTtl),
    ice_servers: ({ iceServers }) => iceServers,
  },
  address: null,
  create: action({
    parameters: { Ttl: works(wholeNumber(limits.tokenTtlMinS, limits.tokenTtlS)) },
    perform({ account, ports }, { Ttl: tokenTtl }) {
      const token = newToken(account.sid, tokenTtl === undefined ? {} : { tokenTtl }, ports);
      return Promise.resolve(token as Token); // It is one of the fields of Token.
    },
  }),
});
