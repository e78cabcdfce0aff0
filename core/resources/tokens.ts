import { z } from "zod";
import { textNumber, wholeNumber } from "../base/fields.ts";
import { grantIceServers } from "../base/ice_servers.ts";
import { limits } from "../base/limits.ts";
import type { Parameters } from "../rest/parameters.ts";
import type { Settings } from "../values/settings.ts";
import type { Base } from "../base/record.ts";
import type { AnyResource } from "../model/resource.ts";

/** ICE servers and time-limited TURN credentials for customers' own pages. Nothing of it is stored. */
export const tokens: AnyResource = {
  type: "Token",
  path: "Tokens",
  sidPrefix: "",
  irregular: true,
  fields: {
    username: z.string().nullable(),
    password: z.string().nullable(),
    tokenTtl: textNumber,
    iceServers: z.array(z.object({
      url: z.string(),
      urls: z.string(),
      username: z.string().optional(),
      credential: z.string().optional(),
    })),
  },
  hidden: ["sid"],
};

/** For how many seconds the credentials shall be good. */
export const tokenParameters: Parameters = {
  schema: z.object({
    tokenTtl: wholeNumber(limits.tokenTtlMinS, limits.tokenTtlS).optional(),
  }),
};

/** Makes a Token for an account. */
export function newToken(
  accountSid: string,
  { tokenTtl = limits.tokenTtlS }: { tokenTtl?: number },
  { settings, now }: { settings: Pick<Settings, "ice">; now(): number },
): Base {
  const at = now();
  const grant = grantIceServers(settings.ice, accountSid, at + tokenTtl * 1_000);
  const token = { sid: "", accountSid, dateCreated: at, dateUpdated: at, tokenTtl, ...grant };
  return token;
}
