import { applications } from "./applications.ts";
import { calls } from "./calls.ts";
import { clients } from "./clients.ts";
import { incomingPhoneNumbers } from "./incoming_phone_numbers.ts";
import { notifications } from "./notifications.ts";
import { outgoingCallerIds } from "./outgoing_caller_ids.ts";

/** Every resource type below an account, by the name its records go by. */
export const resources = {
  applications,
  calls,
  clients,
  incomingPhoneNumbers,
  notifications,
  outgoingCallerIds,
};
