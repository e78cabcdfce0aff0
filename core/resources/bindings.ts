import { z } from "zod";
import { rfcDate } from "../base/fields.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/**
 * Where a Client is registered now: one way to one device. The companions hold it, so there is
 * nothing to read by a Sid.
 */
export const bindings = resource({
  type: "Binding",
  path: "Bindings",
  sidPrefix: "",
  irregular: true,
  fields: {
    clientSid: z.string(),
    /** The address in the Contact that the device registered. */
    contact: z.string(),
    transport: z.string(),
    /** Where the device was heard from: host and port. */
    remoteAddress: z.string(),
    userAgent: z.string().nullable(),
    /** The device, and which of its connections this is (RFC 5626). */
    instanceId: z.string().nullable(),
    regId: z.string().nullable(),
    /** The proxies on the way (RFC 3327), as Route has them. */
    path: z.string().nullable(),
    /** Seconds that are left. */
    expires: z.number().int(),
    dateRegistered: rfcDate,
    dateExpires: rfcDate,
  },
  hidden: ["sid", "dateCreated", "dateUpdated"],
});

export type Binding = RecordOf<typeof bindings>;
