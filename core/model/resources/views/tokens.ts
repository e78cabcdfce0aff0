import { z } from "zod";
import { textNumber, wholeNumber } from "../../../base/fields.ts";
import { grantIceServers } from "../../../base/ice_servers.ts";
import { limits } from "../../../base/limits.ts";
import type { Parameters } from "../../rest/parameters.ts";
import type { Settings } from "../../values/settings.ts";
import type { Base } from "../../../base/record.ts";
import type { AnyResource } from "../../resource.ts";

/**
 * ICE servers, time-limited TURN credentials and SIP credentials of a Client for customers' own pages.
 * Nothing of it is stored.
 */
export const tokens: AnyResource = {
  type: "Token",
  description:
    "ICE servers with time-limited TURN credentials, and SIP credentials of a Client that " +
    "end, for WebRTC in a page of your own.",
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
    sipUsername: z.string().nullable().describe(
      "User name of SIP digest authentication, null unless Login was sent.",
    ),
    sipPassword: z.string().nullable().describe(
      "Password of SIP digest authentication that ends with the Token, null unless Login was sent.",
    ),
    sipUri: z.string().nullable().describe(
      "SIP address of the Client, null unless Login was sent.",
    ),
    iceServers: z.array(z.object({
      url: z.string().describe("URL of the server (stun:, turn: or turns:)."),
      urls: z.string().describe("The same URL, as RTCIceServer names it."),
      username: z.string().optional().describe("User name at the server; absent for STUN."),
      credential: z.string().optional().describe("Password at the server; absent for STUN."),
    })).describe("ICE servers as RTCPeerConnection takes them."),
  },
  hidden: ["sid"],
};

/** For how many seconds the credentials shall be good, and for which Client. */
export const tokenParameters: Parameters = {
  schema: z.object({
    tokenTtl: wholeNumber(limits.tokenTtlMinS, limits.tokenTtlS).optional()
      .describe("Seconds that the credentials shall be valid; the longest time unless sent."),
    login: z.string().min(1).max(64).optional().describe(
      "Login of a Client of the account. The Token then has SIP credentials of this Client.",
    ),
  }),
};

/** SIP credentials of one Client, which end with a Token. */
export interface SipGrant {
  sipUsername: string;
  sipPassword: string;
  sipUri: string;
}

/** Makes a Token for an account. `sip` makes the SIP credentials that end at an instant in seconds. */
export function newToken(
  accountSid: string,
  { tokenTtl = limits.tokenTtlS }: { tokenTtl?: number },
  { settings, now }: { settings: Pick<Settings, "ice">; now(): number },
  sip?: (expiresS: number) => SipGrant,
): Base {
  const at = now();
  const grant = grantIceServers(settings.ice, accountSid, at + tokenTtl * 1_000);
  const granted = sip?.(Math.floor(at / 1_000) + tokenTtl) ??
    { sipUsername: null, sipPassword: null, sipUri: null };
  const dates = { dateCreated: at, dateUpdated: at };
  const token = { sid: "", accountSid, ...dates, tokenTtl, ...grant, ...granted };
  return token;
}
