import type { Base } from "../base/record.ts";
import { wholeNumber } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { newToken } from "../resources/views/tokens.ts";
import { action, noun, works } from "./noun.ts";
import { basic, text } from "./written.ts";

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
