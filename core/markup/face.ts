import { limits } from "../base/limits.ts";
import type { Call } from "../model/resources/calls.ts";

/**
 * Whether attributes that are absent mean what they mean at Twilio: the call was placed by, or came
 * in for a number of, the interface `/2010-04-01`.
 */
export const hasTwilioDefaults = ({ call }: { call: Pick<Call, "apiVersion"> }): boolean =>
  call.apiVersion === limits.twilioApiVersion;
