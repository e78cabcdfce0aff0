import type { Delivery } from "../model/resources/deliveries.ts";
import { noun } from "./noun/noun.ts";
import { listedBelow } from "./noun/regular.ts";
import { date } from "./noun/written.ts";

/** The status callbacks of a call, as requests with their responses. */
export const callEvents = noun<Delivery>({
  type: "Event",
  path: "Calls/{CallSid}/Events",
  plural: "events",
  note: "the status callbacks of the call; requests for markup are not kept",
  fields: {
    request: ({ url, method, requestVariables }) => ({
      url,
      method,
      parameters: requestVariables,
    }),
    response: ({ attempts }) => {
      const last = attempts.at(-1);
      return {
        response_code: last?.status ?? null,
        response_body: last?.responseBody ?? null,
        date_created: date(last?.startTime),
      };
    },
  },
  address: null,
  listed: listedBelow("deliveries", {}, { parent: "calls", sid: "CallSid", field: "callSid" }),
});
