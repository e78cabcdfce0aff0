import { Fault } from "../base/faults.ts";
import { clearableUrl, clearableUrlOrPath, flag, method } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { type Application, applications as definition } from "../model/resources/applications.ts";
import { equal } from "./noun/filters.ts";
import { action, noun, refused, type SentOf, stored, works } from "./noun/noun.ts";
import {
  asFields,
  changed,
  fetched,
  found,
  given,
  listedOf,
  made,
  removed,
} from "./noun/regular.ts";
import { basic } from "./noun/written.ts";

const parameters = {
  FriendlyName: works(definition.fields.friendlyName),
  ApiVersion: works(definition.fields.apiVersion, "the default is 2010-04-01"),
  VoiceUrl: works(clearableUrlOrPath),
  VoiceMethod: works(method),
  VoiceFallbackUrl: works(clearableUrl),
  VoiceFallbackMethod: works(method),
  VoiceCallerIdLookup: stored(flag, "names of callers are not looked up"),
  SmsUrl: works(clearableUrl),
  SmsMethod: works(method),
  SmsFallbackUrl: works(clearableUrl),
  SmsFallbackMethod: works(method),
  StatusCallback: works(clearableUrl, "is requested at the end of a call"),
  StatusCallbackMethod: works(method),
  SmsStatusCallback: works(clearableUrl, "the former name of `MessageStatusCallback`"),
  MessageStatusCallback: works(clearableUrl, "of messages that are sent with its Sid"),
  PublicApplicationConnectEnabled: refused("there is no Twilio Connect here", ["false"]),
};

type Sent = Partial<SentOf<typeof parameters>>;

/** The parameters as the record has them; of an application of Kind sms, RcmlUrl is its SmsUrl. */
function fieldsOf(
  { VoiceUrl, SmsUrl, SmsStatusCallback, MessageStatusCallback = SmsStatusCallback, ...sent }: Sent,
  kind: Application["kind"],
): Record<string, unknown> {
  if (kind === "sms" && VoiceUrl) {
    const rule = "VoiceUrl needs an application of Kind voice; this one has Kind sms";
    throw new Fault("badParameter", rule);
  }
  const urls = kind === "sms" ? { rcmlUrl: SmsUrl } : { rcmlUrl: VoiceUrl, smsUrl: SmsUrl };
  return { ...asFields({ ...sent, MessageStatusCallback }), ...given(urls) };
}

/** Applications: URLs of the markup of calls and texts, by a name. */
export const applications = noun<Application>({
  type: "Application",
  path: "Applications",
  plural: "applications",
  fields: {
    ...basic,
    friendly_name: ({ friendlyName }) => friendlyName,
    api_version: ({ apiVersion }) => apiVersion,
    voice_url: ({ kind, rcmlUrl }) => kind === "voice" ? rcmlUrl : null,
    voice_method: ({ voiceMethod }) => voiceMethod ?? "POST",
    voice_fallback_url: ({ voiceFallbackUrl }) => voiceFallbackUrl ?? null,
    voice_fallback_method: ({ voiceFallbackMethod }) => voiceFallbackMethod ?? "POST",
    voice_caller_id_lookup: ({ voiceCallerIdLookup }) => voiceCallerIdLookup,
    sms_url: ({ kind, rcmlUrl, smsUrl }) => kind === "sms" ? rcmlUrl : smsUrl ?? null,
    sms_method: ({ smsMethod }) => smsMethod ?? "POST",
    sms_fallback_url: ({ smsFallbackUrl }) => smsFallbackUrl ?? null,
    sms_fallback_method: ({ smsFallbackMethod }) => smsFallbackMethod ?? "POST",
    sms_status_callback: ({ messageStatusCallback }) => messageStatusCallback ?? null,
    message_status_callback: ({ messageStatusCallback }) => messageStatusCallback ?? null,
    status_callback: ({ statusCallback }) => statusCallback ?? null,
    status_callback_method: ({ statusCallbackMethod }) => statusCallbackMethod ?? "POST",
    public_application_connect_enabled: () => false,
  },
  address: ({ sid }) => `Applications/${sid}`,
  create: action({
    parameters,
    perform: (asked, { FriendlyName, ...sent }) => {
      const defaults = {
        apiVersion: limits.twilioApiVersion,
        friendlyName: FriendlyName ?? "Application",
      };
      return made("applications", { ...defaults, ...fieldsOf(sent, "voice") }, asked);
    },
  }),
  fetch: fetched("applications"),
  update: action({
    parameters,
    async perform(asked, sent) {
      const { kind } = await found("applications", asked.path.Sid ?? "", asked);
      return await changed("applications", fieldsOf(sent, kind), asked);
    },
  }),
  remove: removed("applications"),
  listed: listedOf("applications", { FriendlyName: equal("friendlyName") }),
});
