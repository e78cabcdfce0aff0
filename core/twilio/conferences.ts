import { z } from "zod";
import { modifyConference } from "../conferences/modify.ts";
import { type Conference, conferences as definition } from "../resources/conferences.ts";
import { dated, equal } from "./noun/filters.ts";
import { action, noun, refused, works } from "./noun/noun.ts";
import { fetched, listedOf } from "./noun/regular.ts";
import { apiVersion, basic } from "./noun/written.ts";

const announcing = "nothing can be announced in a conference";

/** A conference, in which calls hear each other. */
export const conferences = noun<Conference>({
  type: "Conference",
  path: "Conferences",
  plural: "conferences",
  fields: {
    ...basic,
    friendly_name: ({ friendlyName }) => friendlyName,
    status: ({ status }) => status,
    api_version: apiVersion,
    region: () => null,
    reason_conference_ended: () => null,
    call_sid_ending_conference: () => null,
  },
  address: ({ sid }) => `Conferences/${sid}`,
  below: { participants: "Participants", recordings: "Recordings" },
  fetch: fetched("conferences"),
  update: action({
    parameters: {
      Status: works(z.enum(["completed"])),
      AnnounceUrl: refused(announcing),
      AnnounceMethod: refused(announcing, ["POST"]),
    },
    perform({ account, path, ports }, { Status: status }) {
      const named = { accountSid: account.sid, conferenceSid: path.Sid ?? "" };
      return modifyConference(named, { status }, ports);
    },
  }),
  listed: listedOf("conferences", {
    DateCreated: dated("dateCreated"),
    DateUpdated: dated("dateUpdated"),
    FriendlyName: equal("friendlyName"),
    Status: equal("status", definition.fields.status.options),
  }),
});
