import { accountWanted } from "../accounts/create_account.ts";
import { modifyParams } from "../reports/modify_call.ts";
import { placeParameters } from "../calls/placed_by.ts";
import { mutedCalls } from "../calls/muted_call.ts";
import { acceptedFields } from "../messages/geolocation_parameters.ts";
import { documentTestParameters } from "../trials/try_document.ts";
import { limits } from "../base/limits.ts";
import { parametersOf as numberParametersOf } from "../numbers/parameters.ts";
import { kindSegments } from "../model/values/phone_number.ts";
import { paramsSchema } from "../model/resource.ts";
import { accounts } from "../model/resources/accounts.ts";
import {
  availablePhoneNumbers,
  numberCountries,
} from "../model/resources/available_phone_numbers.ts";
import { bindings } from "../model/resources/views/bindings.ts";
import { calls } from "../model/resources/calls.ts";
import { clients } from "../model/resources/clients.ts";
import { replayParams } from "../model/resources/deliveries.ts";
import { emailRecords } from "../model/resources/emails.ts";
import { gateways } from "../model/resources/gateways.ts";
import { documentTests } from "../model/resources/views/document_tests.ts";
import { geolocations } from "../model/resources/geolocations.ts";
import { incomingPhoneNumbers } from "../model/resources/incoming_phone_numbers.ts";
import { accountLimits, limitParameters } from "../model/resources/views/account_limits.ts";
import { secondFactors } from "../model/resources/views/second_factors.ts";
import {
  validationParameters,
  validationRequests,
} from "../model/resources/views/validation_requests.ts";
import { tokenParameters, tokens } from "../model/resources/views/tokens.ts";
import { transcribeParameters } from "../recordings/transcribe.ts";
import { stopParams, streamForm } from "./streams.ts";
import { deliveryReplays, replayFailedParameters } from "../webhooks/replay_failed.ts";
import { resources } from "../model/resources/mod.ts";
import { statistics } from "../model/resources/views/statistics.ts";
import { pushParameters } from "../messages/push_ussd.ts";
import { usagePeriods } from "../usage/periods.ts";
import { usageRecords } from "../model/resources/views/usage_records.ts";
import { callOperations } from "./call_operations.ts";
import { designerForms, designerOperations } from "./designer.ts";
import { credentialForms, credentialOperations } from "./credentials.ts";
import { conferenceForms, conferenceOperations } from "./conferences.ts";
import { monitorForms, monitorOperations } from "./monitors.ts";
import { eventOperations } from "./events.ts";
import { accountPath, accountsPath, type Operation } from "./operation.ts";
import {
  createOperation,
  listOperation,
  readOperation,
  regularOperations,
  removeOperation,
  updateOperations,
} from "./regular.ts";
import { serviceOperations } from "./service.ts";
import { supervisorOperations } from "./supervisor.ts";
import { inventoryParams } from "../supervisor/import_inventory.ts";
import { jobsParams } from "../supervisor/jobs.ts";
import { described, formSchema, type JsonSchema, recordSchema, refTo } from "./schemas.ts";

const { deliveries, emails, sandboxes } = resources;

const accountOperations: Operation[] = [
  listOperation(accounts, { path: accountsPath, summary: "Lists the caller's sub-accounts" }),
  listOperation(accounts, {
    path: `${accountPath}/${accounts.path}`,
    id: "listSubAccounts",
    summary: "Lists the sub-accounts of an account",
  }),
  createOperation(accounts, { path: accountsPath, summary: "Creates a sub-account" }),
  readOperation(accounts, { path: accountPath }),
  ...updateOperations(accounts, { path: accountPath }),
  readOperation(accountLimits, { path: `${accountPath}/${accountLimits.path}` }),
  ...updateOperations(accountLimits, {
    path: `${accountPath}/${accountLimits.path}`,
    summary: "Sets limits of an account",
    description:
      "Changes the limits that are sent and keeps all others; an empty value clears one. Only an " +
      "account above may do it. POST and PUT do the same.",
  }),
  readOperation(secondFactors, { path: `${accountPath}/${secondFactors.path}` }),
  {
    ...removeOperation(secondFactors),
    path: `${accountPath}/${secondFactors.path}`,
    summary: "Turns the second factor of an account off",
    description:
      "For an owner who has lost it. Only an account above may do it; the root account, which has " +
      "none above it, may do so itself. All sessions of the account at the console end.",
  },
];

const clientOperations: Operation[] = [
  listOperation(bindings, {
    path: `${accountPath}/${clients.path}/{Sid}/${bindings.path}`,
    id: "listClientBindings",
    summary: "Lists the current registrations of a Client",
    tag: clients.type,
  }),
];

const deliveryOperations = [
  ...updateOperations(deliveries, { summary: "Sends a delivery again" }),
  createOperation(deliveryReplays, {
    id: "replayFailedDeliveries",
    summary: "Sends the failed deliveries of an hour again",
    description: "A job sends up to 1,000 of them again; the audit log has the request.",
    tag: deliveries.type,
    isMaking: false,
  }),
];

const sandboxOperations: Operation[] = [
  readOperation(sandboxes, { path: `${accountPath}/Sandbox` }),
  ...updateOperations(sandboxes, { path: `${accountPath}/Sandbox` })
    .filter(({ method }) => method === "post"),
];

const geolocationLists: Operation[] = [
  listOperation(geolocations),
  readOperation(geolocations),
];

const geolocationOperations: Operation[] = geolocations.fields.geolocationType.options.flatMap(
  (type) => {
    const path = `${accountPath}/${geolocations.path}/${type}`;
    return [
      createOperation(geolocations, {
        path,
        id: `create${type}Geolocation`,
        summary: `Locates a device (${type})`,
        form: refTo(`${type}GeolocationCreate`),
      }),
      readOperation(geolocations, { path: `${path}/{Sid}`, id: `read${type}Geolocation` }),
    ];
  },
);

const kinds = Object.keys(kindSegments);
const held = `${accountPath}/${incomingPhoneNumbers.path}`;
const offered = `${accountPath}/${availablePhoneNumbers.path}`;
const numberOperations: Operation[] = [
  ...regularOperations(incomingPhoneNumbers),
  ...kinds.flatMap((kind) => [
    listOperation(incomingPhoneNumbers, {
      path: `${held}/${kind}`,
      id: `list${kind}Numbers`,
      summary: `Lists the numbers of the account (${kind})`,
    }),
    createOperation(incomingPhoneNumbers, {
      path: `${held}/${kind}`,
      id: `create${kind}Number`,
      summary: `Provisions a number (${kind})`,
      form: refTo("IncomingPhoneNumberCreateOfKind"),
    }),
  ]),
  listOperation(numberCountries, {
    id: "listNumberCountries",
    summary: "Lists the countries in which numbers can be provisioned",
    tag: availablePhoneNumbers.type,
  }),
  readOperation(numberCountries, {
    path: `${offered}/{CountryCode}`,
    tag: availablePhoneNumbers.type,
  }),
  ...kinds.map((kind) =>
    listOperation(availablePhoneNumbers, {
      path: `${offered}/{CountryCode}/${kind}`,
      id: `listAvailable${kind}Numbers`,
      summary: `Lists available numbers (${kind})`,
    })
  ),
];

const tokenOperations: Operation[] = [
  createOperation(validationRequests, {
    summary: "Calls a number to validate it as caller ID",
    description: "Calls the number from a number of the account. The number is added to the " +
      "OutgoingCallerIds when its owner types the ValidationCode.",
  }),
  createOperation(tokens, {
    summary: "Creates time-limited TURN credentials",
    isMaking: false,
  }),
];

const statisticsOperations: Operation[] = [
  readOperation(statistics, {
    path: `${accountPath}/${statistics.path}`,
    summary: "Reads what an account does now",
    description: "Counts calls by outcome, registrations, Gateways and callbacks of an account. " +
      "What it reads is bounded, so that it may be asked for every few seconds.",
    query: [{
      name: "Span",
      in: "query",
      schema: { type: "string", enum: ["hour", "day", "week"], default: "hour" },
      description:
        "Span of time up to now: hour in periods of two minutes, day in hours, week in " +
        "six hours.",
    }],
  }),
];

const documentTestOperations: Operation[] = [
  createOperation(documentTests, {
    summary: "Tries the markup at a URL",
    description: "Requests markup as a call or message would, and says what it would do. Nothing " +
      "is performed or kept; only a flow's external services receive real requests.",
    isMaking: false,
  }),
];

const usageOperations: Operation[] = [
  listOperation(usageRecords),
  ...usagePeriods.map(({ segment }) =>
    listOperation(usageRecords, {
      path: `${accountPath}/${usageRecords.path}/${segment}`,
      id: `listUsageRecords${segment}`,
      summary: `Lists usage by period: ${segment}`,
      description:
        "Lists sums of usage for each category, the latest period first. StartDate and " +
        "EndDate of a record are the first and last day of its period.",
    })
  ),
  readOperation(usageRecords, { path: `${accountPath}/${usageRecords.path}/{Day}/{Category}` }),
];

/** The same operations of Gateways below the older version of their interface. */
const olderGateways: Operation[] = regularOperations(gateways).map((operation) => ({
  ...operation,
  id: `${operation.id}Older`,
  summary: `${operation.summary} (${limits.gatewayApiVersion})`,
  description: `${operation.description ?? `${operation.summary}.`} The same as below ` +
    `${limits.apiVersion}, at the path of ${limits.gatewayApiVersion}.`,
  path: operation.path.replace(limits.apiVersion, limits.gatewayApiVersion),
}));

/** Every operation that no declaration derives. */
export const irregularOperations: Operation[] = [
  ...accountOperations,
  ...callOperations,
  ...clientOperations,
  ...deliveryOperations,
  ...conferenceOperations,
  ...monitorOperations,
  ...designerOperations,
  createOperation(emails),
  listOperation(emailRecords, { tag: emails.type }),
  readOperation(emailRecords, { tag: emails.type }),
  ...sandboxOperations,
  ...geolocationLists,
  ...geolocationOperations,
  ...numberOperations,
  ...credentialOperations,
  ...tokenOperations,
  ...documentTestOperations,
  ...statisticsOperations,
  ...usageOperations,
  ...olderGateways,
  ...supervisorOperations,
  ...eventOperations,
  ...serviceOperations,
];

/** The forms of those operations and their own answers, by the name of their schema. */
export const irregularForms: Record<string, JsonSchema> = {
  TranscriptionCreate: formSchema(transcribeParameters),
  AccountCreate: formSchema({ schema: accountWanted }),
  StreamCreate: streamForm(),
  StreamUpdate: formSchema({ schema: stopParams }),
  CallCreate: formSchema(placeParameters),
  UssdPushCreate: formSchema(pushParameters),
  JobRetry: described("Parameters that retry a Job.", formSchema({ schema: jobsParams })),
  NumberImport: described(
    "Parameters that load phone numbers.",
    formSchema({ schema: inventoryParams }),
  ),
  DeliveryUpdate: formSchema({ schema: replayParams }),
  DeliveryReplay: recordSchema(deliveryReplays, { isAddressed: false }),
  DeliveryReplayCreate: formSchema(replayFailedParameters),
  CallUpdate: formSchema({ schema: modifyParams, aliases: calls.aliases ?? {} }),
  ...conferenceForms,
  ...monitorForms,
  ...designerForms,
  MutedCall: recordSchema(mutedCalls),
  ValidationRequest: recordSchema(validationRequests, { isAddressed: false }),
  ValidationRequestCreate: formSchema(validationParameters),
  Limits: recordSchema(accountLimits, { isAddressed: false }),
  LimitsUpdate: formSchema({ schema: limitParameters }),
  SecondFactor: recordSchema(secondFactors, { isAddressed: false }),
  ...credentialForms,
  Token: recordSchema(tokens, { isAddressed: false }),
  DocumentTest: recordSchema(documentTests, { isAddressed: false }),
  DocumentTestCreate: formSchema(documentTestParameters),
  TokenCreate: formSchema(tokenParameters),
  IncomingPhoneNumberCreateOfKind: formSchema(numberParametersOf("createOfKind")),
  IncomingPhoneNumberUpdate: formSchema(numberParametersOf("update")),
  ...Object.fromEntries(
    Object.entries(acceptedFields).map(([type, fields]) => [
      `${type}GeolocationCreate`,
      formSchema({ schema: paramsSchema(geolocations.fields, fields, []) }),
    ]),
  ),
};
