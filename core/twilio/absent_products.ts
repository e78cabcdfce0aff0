/**
 * Products of Twilio that are not here. Programs that lead all of Twilio's library to this service ask for
 * them at their usual paths. The answer has a code of its own: at Lookup and Verify, 404 with 20404 says
 * that a number or a verification does not exist, and programs act on that. Programs that look at the
 * status alone see a failure (501); the alert about 5xx leaves it out.
 */
import { Fault } from "../base/faults.ts";

export interface Product {
  name: string;
  /** The product or feature to use in its place. */
  instead: string;
}

/** A product, its host at twilio.com, and paths of it below the base address. */
interface Entry extends Product {
  host: string;
  paths: RegExp;
}

const ownCode = "Send a code of your own by Messages or Calls, and compare it in your program";
const texts = "Use Messages, and SmsUrl of a number for texts that arrive";
const trunks = "Use Management/Gateways";
const ownStore = "Use a store of your own; the Events stream says what changes here";
const agents = "Use Connect with Stream or ConversationRelay";
const registration =
  "Numbers are bought at the operator's provider, which asks for documents itself";
const rates = "Prices are those of the operator; Calls and Messages have their Price";
const nothing = "There is no counterpart";

const entry = (name: string, host: string, paths: RegExp, instead: string): Entry => ({
  name,
  host,
  paths,
  instead,
});

/** The first entry that fits a path is its product. */
const products: Entry[] = [
  entry(
    "Pricing",
    "pricing",
    /^\/v[12]\/(?:(?:PhoneNumbers|Messaging|Trunking|Voice)\/(?:Countries|Numbers)|(?:PhoneNumbers|Messaging|Voice)$)/,
    rates,
  ),
  entry(
    "Lookup",
    "lookups",
    /^\/v[12]\/(?:PhoneNumbers|RateLimits|batch)\b/,
    "Use libphonenumber in your program: it checks and formats numbers, and knows their countries",
  ),
  entry(
    "Verify",
    "verify",
    /^\/v2\/(?:Services\/VA|Services\/[^/]+\/(?:Verif|Entities|RateLimits|MessagingConfigurations|Webhooks|AccessTokens|Passkeys|PushChallenges)|Forms|SafeList|Templates|Attempts)/,
    ownCode,
  ),
  entry(
    "TaskRouter",
    "taskrouter",
    /^\/v1\/Workspaces\b/,
    "Use Queues: Enqueue, Dial with Queue, and Queues/{Sid}/Members",
  ),
  entry(
    "Sync",
    "sync",
    /^\/v1\/Services\/[^/]+\/(?:Documents|Lists|Maps|Streams|SyncStreams)/,
    ownStore,
  ),
  entry("Sync", "sync", /^\/Sync\//, ownStore),
  entry(
    "Messaging Services",
    "messaging",
    /^\/v\d\/(?:Services\/(?:MG|PreregisteredUsa2p|Usecases)|Services\/[^/]+\/(?:PhoneNumbers|ShortCodes|AlphaSenders|ChannelSenders|Compliance)|a2p|Deactivations|LinkShortening|Tollfree|Indicators|Channels\/Senders)/,
    "Send From a number of the account; the application chooses among several",
  ),
  entry("Notify", "notify", /^\/v1\/Services\/[^/]+\/(?:Bindings|Notifications)/, texts),
  entry(
    "Proxy",
    "proxy",
    /^\/v1\/Services\/(?:KS|[^/]+\/Sessions)/,
    "Use Dial with callerId in the markup of a number that both parties call",
  ),
  entry(
    "Functions",
    "serverless",
    /^\/v1\/Services\/(?:ZS|[^/]+\/(?:Functions|Builds|Assets|Environments))/,
    "Use an application server of your own, or the flow of an Application",
  ),
  entry(
    "Conversations",
    "conversations",
    /^\/v\d\/(?:Conversation|ParticipantConversations|Configuration\/Addresses|Configuration$|Services\/[^/]+\/(?:Conversation|Configuration|Participant))/,
    texts,
  ),
  entry("Chat", "chat", /^\/v\d\/Services\/(?:IS|[^/]+\/(?:Channels|Users|Roles))/, texts),
  entry(
    "Conversational Intelligence",
    "intelligence",
    /^\/v[23]\/(?:Services\/(?:GA|[^/]+\/Operators)|Operators|OperatorTypes|OperatorResults|Transcripts|RuleExecutions|ControlPlane\/(?:Operators|Configurations))/,
    "Use Transcriptions, or Start with Transcription",
  ),
  entry("Verify", "verify", /^\/v2\/Services$/, ownCode),
  entry(
    "Studio",
    "studio",
    /^\/v[12]\/Flows\b/,
    "Use the flow of an Application: FlowData, or the designer of the console",
  ),
  entry(
    "Video",
    "video",
    /^\/v1\/(?:Rooms|Composition|Recordings|RecordingSettings)/,
    "Conferences have audio alone",
  ),
  entry("Elastic SIP Trunking", "trunking", /^\/v1\/Trunks\b/, trunks),
  entry(
    "Voice Insights",
    "insights",
    /^\/v\d\/(?:Voice\/|Conferences|Video\/|ControlPlane\/ConversationInsights|InsightsDomains)/,
    "Use Calls/{Sid}/SipTrace, Statistics and the metrics of the service",
  ),
  entry(
    "Programmable Voice settings",
    "voice",
    /^\/v[123]\/(?:ByocTrunks|ConnectionPolicies|DialingPermissions|IpRecords|SourceIpMappings|Settings|Archives|Calls|DialpadTokens|ClientCalls)/,
    `${trunks}, and DESTINATION_PREFIXES of the operator`,
  ),
  entry(
    "Monitor",
    "monitor",
    /^\/v1\/(?:Alerts|Events)\b/,
    "Use Notifications, and AuditEntries of /2012-04-24",
  ),
  entry(
    "Event Streams",
    "events",
    /^\/v1\/(?:Types|Schemas|Sinks|Subscriptions)\b/,
    "Use the Events stream of /2012-04-24",
  ),
  entry(
    "Flex",
    "flex-api",
    /^\/v[12]\/(?:FlexFlows|WebChannels|WebChats|Interactions|PluginService|Instances|Insights|Channels|account\/provision|Configuration)/,
    "Use Queues and the softphone",
  ),
  entry("Frontline", "frontline-api", /^\/v1\/Users\b/, texts),
  entry(
    "Trust Hub",
    "trusthub",
    /^\/v1\/(?:A2P|ComplianceInquiries|ComplianceRegistration|CustomerProfiles|EndUser|Policies|SupportingDocument|TrustProducts)/,
    registration,
  ),
  entry(
    "Phone number services",
    "numbers",
    /^\/v[123]\/(?:HostedNumber|SenderIdRegistrations|Porting|SigningRequest|CallerIds|ShortCodes|RegulatoryCompliance|Bundle|Documents|Eligibility|Applications)/,
    registration,
  ),
  entry(
    "Super SIM",
    "supersim",
    /^\/v1\/(?:ESimProfiles|Fleets|IpCommands|Networks|NetworkAccessProfiles|SettingsUpdates|Sims|SmsCommands|UsageRecords)/,
    nothing,
  ),
  entry(
    "Programmable Wireless",
    "wireless",
    /^\/(?:v1|wireless)\/(?:Commands|RatePlans|Sims)/,
    nothing,
  ),
  entry(
    "Content",
    "content",
    /^\/v[12]\/(?:Content|LegacyContent)/,
    "Send the text itself as Body",
  ),
  entry(
    "Marketplace",
    "marketplace",
    /^\/(?:v1|marketplace)\/(?:AvailableAddOns|InstalledAddOns|Listing|ReferralConversion)/,
    nothing,
  ),
  entry(
    "Bulk exports",
    "bulkexports",
    /^\/v1\/Exports\b/,
    "Read the lists of the core API page by page",
  ),
  entry(
    "Organizations and OAuth",
    "iam",
    /^\/(?:Organizations|v[12]\/(?:Keys|Account\/OAuthApps|Roles\/|token|authorize|oauth))/,
    "Use Keys of the core API",
  ),
  entry(
    "Inbound routing by region",
    "routes",
    /^\/v[23]\/(?:SipDomains|Trunks|ShortCodes)\b/,
    "Numbers are routed by their VoiceUrl",
  ),
  entry(
    "Accounts settings",
    "accounts",
    /^\/v1\/(?:Consents|Contacts|Messaging\/GeoPermissions|SafeList|Credentials)/,
    "AuthTokens alone are here; DESTINATION_PREFIXES bounds destinations",
  ),
  entry(
    "AI Assistants",
    "assistants",
    /^\/v\d\/(?:Assistants|Tools|Knowledge|Stores|Sessions|ControlPlane)/,
    agents,
  ),
  entry("Hosted numbers", "preview", /^\/HostedNumbers\//, registration),
];

/** Products whose paths others share, so that the path alone cannot name one. */
const services: Product = {
  name:
    "The product with Services (Messaging, Conversations, Sync, Chat, Notify, Proxy, Functions)",
  instead: texts,
};
const unnamed: Product = {
  name: "The product of this path",
  instead: "Use the core API at /2010-04-01 or /2012-04-24",
};

/** Parts of the core API that are not here, by their paths below an account. */
const parts: [paths: RegExp, Product][] = [
  [/^SIP\//, {
    name: "SIP Domains",
    instead: "Use Clients of /2012-04-24 for phones, and Management/Gateways for trunks",
  }],
  [/^(?:Authorized)?ConnectApps(?:\/|$)/, {
    name: "Connect Apps",
    instead: "Use sub-accounts and API keys",
  }],
  [/^Calls\/[^/]+\/Payments(?:\/|$)/, {
    name: "Pay",
    instead: "Use Gather, and a payment service of your own",
  }],
  [/^Calls\/[^/]+\/Siprec(?:\/|\.|$)/, {
    name: "SIPREC",
    instead: "Use Start with Stream or Recording",
  }],
  [/^Calls\/[^/]+\/UserDefinedMessage/, {
    name: "User-defined messages",
    instead: "Use parameters of Stream, or the Events stream",
  }],
  [/^Calls\/[^/]+\/Transcriptions(?:\/|$)/, {
    name: "Transcription of a call by request",
    instead: "Use Start with Transcription in the markup",
  }],
  [/^Messages\/[^/]+\/Feedback(?:\/|$)/, { name: "Message feedback", instead: nothing }],
  [/^Recordings\/[^/]+\/AddOnResults(?:\/|$)/, { name: "Add-ons", instead: nothing }],
  [/^SMS\/ShortCodes(?:\/|$)/, {
    name: "Short codes as resources",
    instead: "The operator lists them in SMS_SHORT_CODES",
  }],
  [/^Calls\/(?:Feedback|[^/]+\/Feedback)/, { name: "Call feedback", instead: nothing }],
];

/** The product of a request by its path, or by the host that it names where that leads here. */
export function productAt(path: string, host: string): Product | null {
  const [, own] = /^([\w-]+)(?:\.[\w-]+){0,2}\.twilio\.com(?::\d+)?$/i.exec(host) ?? [];
  const found = products.find((one) => one.host === own?.toLowerCase()) ??
    products.find(({ paths }) => paths.test(path));
  if (found !== undefined) return found;
  return /^\/v\d\/Services(?:\/|$)/.test(path) ? services : null;
}

/** A part of the core API by its path below the account. */
export const partAt = (below: string): Product | null =>
  parts.find(([paths]) => paths.test(below))?.[1] ?? null;

/** The product of a path that no entry names. */
export const unnamedProduct = unnamed;

/** The refusal of a request for a product. */
export const productAbsent = ({ name, instead }: Product): Fault =>
  new Fault("productAbsent", `${name} is not here. ${instead}.`);
