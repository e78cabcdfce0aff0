import { z } from "zod";
import { flag, httpUrl } from "./variable.ts";

/** The variables that are about messages, e-mail and look-ups of devices. */
export const messageVariables = {
  STRICT_SMS_FROM: {
    schema: flag,
    fallback: "false",
    help: "true lets messages leave only from numbers of the account. Recommended in production.",
  },
  SMS_SHORT_CODES: {
    schema: z.string().regex(
      /^(?:\d{3,8}(?:,\d{3,8})*)?$/,
      "must be short codes separated by commas",
    ),
    fallback: "",
    help: "Short codes that accounts may send from under STRICT_SMS_FROM, separated by commas.",
  },
  SMTP_URL: {
    schema: z.union([
      z.literal(""),
      z.url({ protocol: /^smtps?$/, error: "must be an smtp or smtps URL" }),
    ]),
    fallback: "",
    help: "Mail server for e-mail: smtp://USER:PASSWORD@HOST:PORT. Empty: none is sent.",
    secret: true,
  },
  LOCATION_URL: {
    schema: z.union([z.literal(""), httpUrl], "must be an http or https URL"),
    fallback: "",
    help: "Location source asked, with ?msisdn=, where devices are. Empty: there is none.",
  },
};
