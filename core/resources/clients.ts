import { z } from "zod";
import { clearableSid, clearableUrl, method } from "../base/fields.ts";
import { forgetClients } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { type RecordOf, resource } from "../model/resource.ts";

const forget = ({ login }: { login: string }) => forgetClients({ logins: [login] });

/** A SIP user agent that registers with the service. */
export const clients = resource({
  type: "Client",
  path: "Clients",
  sidPrefix: "CL",
  fields: {
    apiVersion: z.string(),
    friendlyName: z.string().min(1).max(limits.friendlyNameLength),
    login: z.string().regex(
      /^[A-Za-z0-9\-._+]{1,64}$/,
      "must be 1 to 64 of letters, digits and - . _ +",
    ),
    password: z.string().min(1).max(limits.passwordLength),
    status: z.enum(["0", "1"]),
    voiceUrl: clearableUrl,
    voiceMethod: method,
    voiceFallbackUrl: clearableUrl,
    voiceFallbackMethod: method,
    voiceApplicationSid: clearableSid("AP"),
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

/** Clients whose passwords have at least so many characters, which is the operator's to say. */
export const clientsWith = (passwordMin: number): typeof clients => ({
  ...clients,
  fields: {
    ...clients.fields,
    password: z.string().min(passwordMin).max(limits.passwordLength),
  },
});

export type Client = RecordOf<typeof clients>;
