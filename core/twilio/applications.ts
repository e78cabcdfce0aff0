import { clearableUrlOrPath, flag } from "../base/fields.ts";
import { type Application, applications as definition } from "../resources/applications.ts";
import { equal } from "./filters.ts";
import { action, noun, refused, works } from "./noun.ts";
import { changed, fetched, given, listedOf, made, removed } from "./regular.ts";
import { basic } from "./written.ts";

const parameters = {
  FriendlyName: works(definition.fields.friendlyName),
  ApiVersion: works(definition.fields.apiVersion),
  VoiceUrl: works(clearableUrlOrPath),
  VoiceCallerIdLookup: works(flag),
  PublicApplicationConnectEnabled: refused("there is no Twilio Connect here", ["false"]),
};

const fieldsOf = (
  { FriendlyName, ApiVersion, VoiceUrl, VoiceCallerIdLookup }: {
    FriendlyName?: string | undefined;
    ApiVersion?: string | undefined;
    VoiceUrl?: string | null | undefined;
    VoiceCallerIdLookup?: boolean | undefined;
  },
) =>
  given({
    friendlyName: FriendlyName,
    apiVersion: ApiVersion,
    rcmlUrl: VoiceUrl,
    voiceCallerIdLookup: VoiceCallerIdLookup,
  });

/** Where calls and texts get their markup from, by a name. */
export const applications = noun<Application>({
  type: "Application",
  path: "Applications",
  plural: "applications",
  fields: {
    ...basic,
    friendly_name: ({ friendlyName }) => friendlyName,
    api_version: ({ apiVersion }) => apiVersion,
    voice_url: ({ kind, rcmlUrl }) => kind === "voice" ? rcmlUrl : null,
    voice_caller_id_lookup: ({ voiceCallerIdLookup }) => voiceCallerIdLookup,
  },
  address: ({ sid }) => `Applications/${sid}`,
  create: action({
    parameters,
    perform: (asked, sent) => made("applications", fieldsOf(sent), asked),
  }),
  fetch: fetched("applications"),
  update: action({
    parameters,
    perform: (asked, sent) => changed("applications", fieldsOf(sent), asked),
  }),
  remove: removed("applications"),
  listed: listedOf("applications", { FriendlyName: equal("friendlyName") }),
});
