import { phoneText, reference } from "../base/fields.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { listNumbers } from "../numbers/list_numbers.ts";
import { provisionNumber } from "../numbers/provision.ts";
import { updateNumber } from "../numbers/update_number.ts";
import {
  type IncomingPhoneNumber,
  incomingPhoneNumbers as definition,
} from "../model/resources/incoming_phone_numbers.ts";
import type { NumberKind } from "../model/values/phone_number.ts";
import { always, equal, notFiltered, numberPart } from "./noun/filters.ts";
import {
  action,
  type Listed,
  needs,
  noun,
  type Parameters,
  refused,
  works,
  type Written,
} from "./noun/noun.ts";
import { asFields, fetched, removed } from "./noun/regular.ts";
import { basic } from "./noun/written.ts";

const { fields } = definition;

const settable = {
  ApiVersion: works(fields.apiVersion, "the default is 2010-04-01"),
  FriendlyName: works(fields.friendlyName),
  SmsApplicationSid: works(fields.smsApplicationSid),
  SmsFallbackMethod: works(fields.smsFallbackMethod),
  SmsFallbackUrl: works(fields.smsFallbackUrl),
  SmsMethod: works(fields.smsMethod),
  SmsUrl: works(fields.smsUrl),
  StatusCallback: works(fields.statusCallback),
  StatusCallbackMethod: works(fields.statusCallbackMethod),
  VoiceApplicationSid: works(fields.voiceApplicationSid),
  VoiceCallerIdLookup: {
    ...works(fields.voiceCallerIdLookup),
    state: "stored",
    note: "names of callers are not looked up",
  },
  VoiceFallbackMethod: works(fields.voiceFallbackMethod),
  VoiceFallbackUrl: works(fields.voiceFallbackUrl),
  VoiceMethod: works(fields.voiceMethod),
  VoiceUrl: works(fields.voiceUrl),
  EmergencyStatus: refused("there are no emergency calls", ["Inactive"]),
  EmergencyAddressSid: refused("there are no emergency calls"),
  TrunkSid: refused("Gateways are the trunks of an account, not of a number"),
  VoiceReceiveMode: refused("there is no fax", ["voice"]),
  IdentitySid: refused("numbers need no identity here"),
  AddressSid: refused("numbers need no address here"),
  BundleSid: refused("numbers need no regulatory bundle here"),
} satisfies Parameters;

const shown: Written<IncomingPhoneNumber> = {
  ...basic,
  friendly_name: (number) => number.friendlyName,
  phone_number: (number) => number.phoneNumber,
  api_version: (number) => number.apiVersion,
  voice_caller_id_lookup: (number) => number.voiceCallerIdLookup,
  voice_url: (number) => number.voiceUrl,
  voice_method: (number) => number.voiceMethod,
  voice_fallback_url: (number) => number.voiceFallbackUrl,
  voice_fallback_method: (number) => number.voiceFallbackMethod,
  voice_application_sid: (number) => number.voiceApplicationSid,
  voice_receive_mode: () => "voice",
  sms_url: (number) => number.smsUrl,
  sms_method: (number) => number.smsMethod,
  sms_fallback_url: (number) => number.smsFallbackUrl,
  sms_fallback_method: (number) => number.smsFallbackMethod,
  sms_application_sid: (number) => number.smsApplicationSid,
  status_callback: (number) => number.statusCallback,
  status_callback_method: (number) => number.statusCallbackMethod,
  capabilities: ({ capabilities }) => ({
    voice: capabilities.voiceCapable,
    sms: capabilities.smsCapable,
    mms: capabilities.mmsCapable,
    fax: capabilities.faxCapable,
  }),
  beta: () => false,
  origin: ({ isSIP }) => isSIP ? "hosted" : "twilio",
  type: ({ kind }) => kind === "tollFree" ? "toll-free" : kind,
  status: () => "in-use",
  address_requirements: () => "none",
  address_sid: () => null,
  identity_sid: () => null,
  bundle_sid: () => null,
  trunk_sid: () => null,
  emergency_status: () => "Inactive",
  emergency_address_sid: () => null,
  emergency_address_status: () => "unregistered",
};

const listedOf = (kind?: NumberKind): Listed<IncomingPhoneNumber> => ({
  filters: {
    PhoneNumber: numberPart("phoneNumber"),
    FriendlyName: equal("friendlyName"),
    Beta: always("no number is new to the platform"),
    Origin: notFiltered("no number is hosted elsewhere", ["twilio"]),
  },
  sortedBy: "phoneNumber",
  read: ({ account, ports }, query) =>
    listNumbers({ accountSid: account.sid, ...kind && { kind } }, query, ports),
});

const created = <P extends Parameters>(own: P, kind?: NumberKind) =>
  action<IncomingPhoneNumber, P & typeof settable>({
    parameters: { ...settable, ...own },
    faults: { PhoneNumber: "badPhoneNumber", AreaCode: "noNumberInArea" } as never, // Of `own`.
    perform({ account, ports }, sent) {
      const fields = { apiVersion: limits.twilioApiVersion, ...asFields(sent) };
      const wanted = { accountSid: account.sid, sent: fields, ...kind && { kind } };
      return provisionNumber(wanted, ports);
    },
  });

const number = {
  type: "IncomingPhoneNumber",
  plural: "incoming_phone_numbers",
  fields: shown,
  address: ({ sid }: IncomingPhoneNumber) => `IncomingPhoneNumbers/${sid}`,
};

/** The numbers of an account. */
export const incomingPhoneNumbers = noun<IncomingPhoneNumber>({
  ...number,
  path: "IncomingPhoneNumbers",
  create: created({
    PhoneNumber: works(phoneText(), "this or `AreaCode`"),
    AreaCode: works(fields.areaCode.unwrap(), "any available number of the area"),
  }),
  fetch: fetched("incomingPhoneNumbers"),
  update: action({
    parameters: {
      ...settable,
      AccountSid: works(reference("AC"), "moves the number to that account"),
    },
    perform({ caller, account, path, ports }, { AccountSid: to, ...sent }) {
      const fields = asFields(sent);
      const wanted = { caller, account, sid: path.Sid ?? "", sent: fields, ...to && { to } };
      return updateNumber(wanted, ports);
    },
  }),
  remove: removed("incomingPhoneNumbers"),
  listed: listedOf(),
});

const ofKind = (segment: string, kind: NumberKind) =>
  noun<IncomingPhoneNumber>({
    ...number,
    path: `IncomingPhoneNumbers/${segment}`,
    create: created({ PhoneNumber: needs(fields.phoneNumber) }, kind),
    listed: listedOf(kind),
  });

/** Those of one kind. */
export const incomingPhoneNumberKinds = [
  ofKind("Local", "local"),
  ofKind("Mobile", "mobile"),
  ofKind("TollFree", "tollFree"),
];

/** Add-ons of a number: there are none. */
export const assignedAddOns = noun<IncomingPhoneNumber>({
  ...number,
  type: "AssignedAddOn",
  path: "IncomingPhoneNumbers/{NumberSid}/AssignedAddOns",
  plural: "assigned_add_ons",
  note: "there are no add-ons; the list is empty",
  listed: {
    filters: {},
    async read({ account, path, ports }) {
      const sid = path.NumberSid ?? "";
      const held = await ports.records.incomingPhoneNumbers.get(account.sid, sid);
      if (held === null) throw new Fault("notFound", sid);
      return { items: [], total: 0 };
    },
  },
});
