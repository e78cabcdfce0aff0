import type { AnyNoun } from "./noun/noun.ts";
import { addresses, dependentPhoneNumbers } from "./addresses.ts";
import { applications } from "./applications.ts";
import { availableKinds, numberCountries } from "./available_phone_numbers.ts";
import { callEvents } from "./call_events.ts";
import { calls } from "./calls.ts";
import { conferences } from "./conferences.ts";
import { keys, signingKeys, tokens } from "./credentials.ts";
import {
  assignedAddOns,
  incomingPhoneNumberKinds,
  incomingPhoneNumbers,
} from "./incoming_phone_numbers.ts";
import { media, messages } from "./messages.ts";
import { callNotifications, notifications } from "./notifications.ts";
import { outgoingCallerIds, validationRequests } from "./outgoing_caller_ids.ts";
import { participants } from "./participants.ts";
import { queueMembers, queues } from "./queues.ts";
import { callRecordings, conferenceRecordings, recordings } from "./recordings.ts";
import { callStreams } from "./streams.ts";
import { recordingTranscriptions, transcriptions } from "./transcriptions.ts";
import { balance, usageRecords } from "./usage.ts";
import { usageTriggers } from "./usage_triggers.ts";

/**
 * Every noun of this interface below an account; of two whose paths fit a request, the first
 * answers.
 */
export const nouns: readonly AnyNoun[] = [
  addresses,
  dependentPhoneNumbers,
  applications,
  balance,
  numberCountries,
  ...availableKinds,
  calls,
  callEvents,
  callNotifications,
  callRecordings,
  callStreams,
  conferences,
  conferenceRecordings,
  participants,
  ...incomingPhoneNumberKinds,
  incomingPhoneNumbers,
  assignedAddOns,
  keys,
  messages,
  media,
  notifications,
  outgoingCallerIds,
  validationRequests,
  queues,
  queueMembers,
  recordings,
  recordingTranscriptions,
  signingKeys,
  tokens,
  transcriptions,
  ...usageRecords,
  usageTriggers,
];
