import { z } from "zod";
import { clearableSid, clearableUrl, method } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** Where an account tries its application out; there is one per account, made when it is first read. */
export const sandboxes = resource({
  type: "Sandbox",
  path: "Sandbox",
  sidPrefix: "SB",
  irregular: true,
  fields: {
    /** Eight digits. */
    pin: z.string(),
    phoneNumber: z.string().nullable(),
    applicationSid: clearableSid("AP"),
    apiVersion: z.string(),
    voiceUrl: clearableUrl,
    voiceMethod: method,
    smsUrl: clearableUrl,
    smsMethod: method,
    statusCallback: clearableUrl,
    statusCallbackMethod: method,
  },
  hidden: ["sid"],
  update: [
    "applicationSid",
    "voiceUrl",
    "voiceMethod",
    "smsUrl",
    "smsMethod",
    "statusCallback",
    "statusCallbackMethod",
  ],
  aliases: { statusCallback: "statusCallback", statusCallbackMethod: "statusCallbackMethod" },
  references: { applicationSid: "applications" },
  defaults: {
    phoneNumber: null,
    applicationSid: null,
    apiVersion: limits.apiVersion,
    voiceUrl: null,
    voiceMethod: "POST",
    smsUrl: null,
    smsMethod: "POST",
    statusCallback: null,
    statusCallbackMethod: "POST",
  },
});

export type Sandbox = RecordOf<typeof sandboxes>;
