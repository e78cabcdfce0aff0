import type { Ports } from "../model/ports/ports.ts";
import type { Base } from "../base/record.ts";
import type { AnyResource } from "../model/resource.ts";
import { type Call, calls } from "../model/resources/calls.ts";
import { participants, participantSid } from "../model/resources/participants.ts";

const { conferenceSid, muted, hold, startConferenceOnEnter, endConferenceOnEnter } =
  participants.fields;

const placeFields = {
  conferenceSid: conferenceSid.nullable(),
  muted,
  hold,
  startConferenceOnEnter: startConferenceOnEnter.nullable(),
  endConferenceOnEnter: endConferenceOnEnter.nullable(),
};

/** A Call as the answer to Mute shows it: with its place in a Conference, if it has one. */
export const mutedCalls: AnyResource = {
  ...calls as AnyResource,
  fields: { ...calls.fields, ...placeFields },
  hidden: (calls as AnyResource).hidden?.filter((field) => !(field in placeFields)) ?? [],
};

export async function mutedCall(call: Call, muted: boolean, { records }: Ports): Promise<Base> {
  const place = await records.participants.get(call.accountSid, participantSid(call.sid));
  const shown: Base & Record<keyof typeof placeFields, unknown> = {
    ...call,
    conferenceSid: place?.conferenceSid ?? null,
    muted,
    hold: place?.hold ?? false,
    startConferenceOnEnter: place?.startConferenceOnEnter ?? null,
    endConferenceOnEnter: place?.endConferenceOnEnter ?? null,
  };
  return shown;
}
