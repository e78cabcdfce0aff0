import type { Settings } from "../values/settings.ts";
import type { RecordOf } from "../resource.ts";
import { addresses } from "./internal/addresses.ts";
import { applications } from "./applications.ts";
import { auditEntries } from "./console/audit_entries.ts";
import { calls } from "./calls.ts";
import { clients, clientsWith } from "./clients.ts";
import { conferences } from "./conferences.ts";
import { consoleGuards } from "./console/guards.ts";
import { consoleSessions } from "./console/sessions.ts";
import { deliveries } from "./deliveries.ts";
import { documentRequests } from "./document_requests.ts";
import { emails } from "./emails.ts";
import { erasures } from "./erasures.ts";
import { flowVersions } from "./flow_versions.ts";
import { gateways } from "./gateways.ts";
import { geolocations } from "./geolocations.ts";
import { idempotencyKeys } from "./idempotency_keys.ts";
import { incomingPhoneNumbers } from "./incoming_phone_numbers.ts";
import { keys } from "./keys.ts";
import { messages } from "./messages.ts";
import { notifications } from "./notifications.ts";
import { outgoingCallerIds } from "./outgoing_caller_ids.ts";
import { partialTexts } from "./internal/partial_texts.ts";
import { participants } from "./participants.ts";
import { queues } from "./queues.ts";
import { recordings, recordingsWith } from "./recordings.ts";
import { removedRecords } from "./internal/removed_records.ts";
import { sandboxes } from "./sandboxes.ts";
import { simulatedLegs } from "./internal/simulated_legs.ts";
import { streams } from "./streams.ts";
import { transcriptions } from "./transcriptions.ts";
import { usageTriggers } from "./internal/usage_triggers.ts";

/** Every resource type below an account, by the name its records go by. */
export const resources = {
  addresses,
  applications,
  auditEntries,
  calls,
  clients,
  conferences,
  consoleGuards,
  consoleSessions,
  deliveries,
  documentRequests,
  emails,
  erasures,
  flowVersions,
  gateways,
  geolocations,
  idempotencyKeys,
  incomingPhoneNumbers,
  keys,
  messages,
  notifications,
  outgoingCallerIds,
  partialTexts,
  participants,
  queues,
  recordings,
  removedRecords,
  sandboxes,
  simulatedLegs,
  streams,
  transcriptions,
  usageTriggers,
};

type RecordsOf<T> = { [Name in keyof T]: RecordOf<T[Name]> };

declare module "../record_types.ts" {
  interface RecordTypes extends RecordsOf<typeof resources> {}
}

/** The same with the settings of the configuration. */
export const resourcesUnder = (
  settings: Pick<Settings, "clientPasswordMin" | "recordingsOpenInS3">,
): typeof resources => ({
  ...resources,
  clients: clientsWith(settings.clientPasswordMin),
  recordings: recordingsWith(settings),
});
