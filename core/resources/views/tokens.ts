import { z } from "zod";
import { textNumber, wholeNumber } from "../../base/fields.ts";
import { grantIceServers } from "../../base/ice_servers.ts";
import { limits } from "../../base/limits.ts";
import type { Parameters } from "../../rest/parameters.ts";
import type { Settings } from "../../values/settings.ts";
import type { Base } from "../../base/record.ts";
import type { AnyResource } from "../../model/resource.ts";

/** ICE servers and time-limited TURN credentials for customers' own pages. Nothing of it is stored. */
export const tokens: AnyResource = {
  type: "Token",
  description: "ICE servers with time-limited TURN credentials, for WebRTC in a page of your own.",
  path: "Tokens",
  sidPrefix: "",
  irregular: true,
  fields: {
    username: z.string().nullable().describe(
      "User name at the TURN servers, null when there are none.",
    ),
    password: z.string().nullable().describe(
      "Password at the TURN servers, null when there are none.",
    ),
    tokenTtl: textNumber.describe("Seconds that the credentials are valid, as a text."),
    iceServers: z.array(z.object({
      url: z.string().describe("URL of the server (stun:, turn: or turns:)."),
      urls: z.string().describe("The same URL, as RTCIceServer names it."),
      username: z.string().optional().describe("User name at the server; absent for STUN."),
      credential: z.string().optional().describe("Password at the server; absent for STUN."),
    })).describe("ICE servers as RTCPeerConnection takes them."),
  },
  hidden: ["sid"],
};

/** For how many seconds the credentials shall be good. */
export const tokenParameters: Parameters = {
  schema: z.object({
    tokenTtl: wholeNumber(limits.tokenTtlMinS, limits.tokenTtlS).optional()
      .describe("Seconds that the credentials shall be valid; the longest time unless sent."),
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
