import { z } from "zod";
import { clearableSid, clearableUrl, method } from "../../base/fields.ts";
import { forgetClients } from "../job_kinds.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

const forget = ({ accountSid, login }: { accountSid: string; login: string }) =>
  forgetClients({ accountSid, logins: [login] });

/** A SIP user agent that registers with the service. */
export const clients = resource({
  type: "Client",
  description:
    "A SIP user agent that registers with the service: a softphone, a desk phone or a web page.",
  path: "Clients",
  sidPrefix: "CL",
  fields: {
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),
    friendlyName: z.string().min(1).max(limits.friendlyNameLength).describe(
      "Name of the Client, for people; the Login unless set.",
    ),
    login: z.string().regex(
      /^[A-Za-z0-9\-._+]{1,64}$/,
      "must be 1 to 64 of letters, digits and - . _ +",
    ).describe("SIP user name of the Client, unique in the service; it cannot be changed."),
    password: z.string().min(1).max(limits.passwordLength).describe(
      "Password of SIP digest authentication.",
    ),
    status: z.enum(["0", "1"]).describe(
      "Whether the Client may register and call: 1 (yes, default) or 0 (no).",
    ),
    voiceUrl: clearableUrl.describe(
      "URL of the markup that handles the calls that the Client makes; without it they are routed directly. An empty value clears it.",
    ),
    voiceMethod: method.describe("HTTP method of the request to VoiceUrl: GET or POST (default)."),
    voiceFallbackUrl: clearableUrl.describe(
      "URL that is requested when the markup at VoiceUrl cannot be fetched or parsed. An empty value clears it.",
    ),
    voiceFallbackMethod: method.describe(
      "HTTP method of the request to VoiceFallbackUrl: GET or POST (default).",
    ),
    voiceApplicationSid: clearableSid("AP").describe(
      "Sid of the Application that handles the calls of the Client in place of VoiceUrl. An empty value clears it.",
    ),
  },
  secret: ["password"],
  create: {
    required: ["login", "password"],
    optional: [
      "friendlyName",
      "status",
      "voiceUrl",
      "voiceMethod",
      "voiceFallbackUrl",
      "voiceFallbackMethod",
      "voiceApplicationSid",
    ],
  },
  update: [
    "friendlyName",
    "password",
    "status",
    "voiceUrl",
    "voiceMethod",
    "voiceFallbackUrl",
    "voiceFallbackMethod",
    "voiceApplicationSid",
  ],
  defaults: {
    apiVersion: limits.apiVersion,
    friendlyName: ({ login }) => login,
    status: "1",
    voiceUrl: null,
    voiceMethod: "POST",
    voiceFallbackUrl: null,
    voiceFallbackMethod: "POST",
    voiceApplicationSid: null,
  },
  filters: { friendlyName: "equals", login: "equals" },
  unique: ["login"],
  references: { voiceApplicationSid: "applications" },
  removable: true,
  updated: (_, client) => ({ record: client, jobs: [forget(client)] }),
  removed: (client) => ({ record: client, jobs: [forget(client)] }),
});

/** Clients whose passwords have at least so many characters, as the operator sets. */
export const clientsWith = (passwordMin: number): typeof clients => ({
  ...clients,
  fields: {
    ...clients.fields,
    password: z.string().min(passwordMin).max(limits.passwordLength)
      .describe("Password of SIP digest authentication."),
  },
});

export type Client = RecordOf<typeof clients>;
