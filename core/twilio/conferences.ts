import { z } from "zod";
import { method, url } from "../base/fields.ts";
import { announce, modifyConference } from "../conferences/modify.ts";
import { type Conference, conferences as definition } from "../model/resources/conferences.ts";
import { dated, equal } from "./noun/filters.ts";
import { action, noun, works } from "./noun/noun.ts";
import { fetched, listedOf } from "./noun/regular.ts";
import { apiVersion, basic } from "./noun/written.ts";

/** A parameter that plays a document once; `note` names the listeners. */
export const announcement = (note: string) => ({
  AnnounceUrl: works(z.union([z.literal(""), url]), note),
  AnnounceMethod: works(method),
});

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
    reason_conference_ended: ({ end }) => end?.reason ?? null,
    call_sid_ending_conference: ({ end }) => end?.callSid ?? null,
  },
  address: ({ sid }) => `Conferences/${sid}`,
  below: { participants: "Participants", recordings: "Recordings" },
  fetch: fetched("conferences"),
  update: action({
    parameters: {
      Status: works(z.enum(["completed"])),
      ...announcement("each participant hears it in place of the others"),
    },
    async perform({ account, path, ports }, sent) {
      const named = { accountSid: account.sid, conferenceSid: path.Sid ?? "" };
      const { Status: status, AnnounceUrl: url, AnnounceMethod: method = "POST" } = sent;
      if (url) await announce(named, { url, method }, ports);
      return await modifyConference(named, { status }, ports);
    },
  }),
  listed: listedOf("conferences", {
    DateCreated: dated("dateCreated"),
    DateUpdated: dated("dateUpdated"),
    FriendlyName: equal("friendlyName"),
    Status: equal("status", definition.fields.status.options),
  }),
});
