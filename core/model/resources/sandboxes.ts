import { z } from "zod";
import { clearableSid, clearableUrl, method } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** Sandbox of an account, to try its application; one per account, made when it is first read. */
export const sandboxes = resource({
  type: "Sandbox",
  description: "The test number of an account; there is one for each account.",
  path: "Sandbox",
  sidPrefix: "SB",
  irregular: true,
  fields: {
    pin: z.string().describe("PIN of the sandbox, eight digits."),
    phoneNumber: z.string().nullable().describe(
      "Phone number of the sandbox, null when the service has none.",
    ),
    applicationSid: clearableSid("AP").describe(
      "Sid of the Application that handles calls and messages to the sandbox. An empty value clears it.",
    ),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),
    voiceUrl: clearableUrl.describe(
      "URL of the markup that handles calls to the sandbox. An empty value clears it.",
    ),
    voiceMethod: method.describe("HTTP method of the request to VoiceUrl: GET or POST (default)."),
    smsUrl: clearableUrl.describe(
      "URL of the markup that handles text messages to the sandbox. An empty value clears it.",
    ),
    smsMethod: method.describe("HTTP method of the request to SmsUrl: GET or POST (default)."),
    statusCallback: clearableUrl.describe(
      "URL of the status callback of calls to the sandbox. An empty value clears it.",
    ),
    statusCallbackMethod: method.describe(
      "HTTP method of the request to StatusCallback: GET or POST (default).",
    ),
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
