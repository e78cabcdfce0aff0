import { z } from "zod";
import { limits } from "../../base/limits.ts";
import type { OrderOf } from "../../model/values/order.ts";
import { sharedVerb } from "../verb.ts";

const addresses = z.string().trim().min(1).max(limits.parameterLength).optional();

/** Sends an e-mail. */
export const email = sharedVerb({
  name: "Email",
  attributes: {
    from: addresses,
    to: addresses,
    cc: addresses,
    bcc: addresses,
    subject: z.string().max(limits.parameterLength).optional().transform((text) => text ?? ""),
  },
  answers: true,
  compile({ text: body }, { from, to, cc, bcc, subject }, context) {
    if (from === undefined || to === undefined) {
      context.skip(`Email: it needs ${from === undefined ? "from" : "to"}`);
      return [];
    }
    const copies = { ...cc !== undefined && { cc }, ...bcc !== undefined && { bcc } };
    const serviceContext: OrderOf<"email"> = { kind: "email", from, to, ...copies, subject, body };
    return [{ type: "note", serviceContext }];
  },
});
