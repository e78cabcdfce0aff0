import { z } from "zod";
import { rfcDate } from "../../../base/fields.ts";
import { type RecordOf, resource } from "../../resource.ts";

/**
 * Registration of a Client: one contact of one device. The companions hold it, so no record can be
 * read by a Sid.
 */
export const bindings = resource({
  type: "Binding",
  description: "A current registration of a Client: one SIP contact of one device (RFC 3261 §10).",
  path: "Bindings",
  sidPrefix: "",
  irregular: true,
  fields: {
    clientSid: z.string().describe("Sid of the Client that is registered."),
    contact: z.string().describe("SIP address in the Contact that the device registered."),
    transport: z.string().describe(
      "Transport of the registration, such as udp, tcp, tls, ws or wss.",
    ),
    remoteAddress: z.string().describe("Host and port that the registration came from."),
    userAgent: z.string().nullable().describe("User-Agent of the device, null when it sent none."),
    instanceId: z.string().nullable().describe(
      "Instance ID of the device (RFC 5626), null when it sent none.",
    ),
    regId: z.string().nullable().describe(
      "Number of the flow of this device (reg-id, RFC 5626), null when it sent none.",
    ),
    path: z.string().nullable().describe(
      "Proxies between the service and the device (Path, RFC 3327), null when there are none.",
    ),
    expires: z.number().int().describe("Seconds until the registration expires."),
    dateRegistered: rfcDate.describe("Date of the registration."),
    dateExpires: rfcDate.describe("Date when the registration expires."),
  },
  hidden: ["sid", "dateCreated", "dateUpdated"],
});

export type Binding = RecordOf<typeof bindings>;
