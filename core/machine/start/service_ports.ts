import { createLoopShares } from "../../model/rest/loop_shares.ts";
import type { BridgeSecret } from "../../protocol/bridge_secret.ts";
import { identifiedFetch } from "../net/identified_fetch.ts";
import { withKeyring } from "../../accounts/keyring.ts";
import { tokenDeriver } from "../../accounts/derive_token.ts";
import { createAbsentLogins } from "../../companions/absent_logins.ts";
import { companionClient } from "../../companions/client.ts";
import { readRates } from "../../calls/rates.ts";
import type { TrunkSettings } from "../../model/values/trunk_settings.ts";
import { createPairCap } from "../../model/values/pair_cap.ts";
import { httpNumbers } from "../../numbers/http_provider.ts";
import { inventoryNumbers } from "../../numbers/inventory_provider.ts";
import { openNumbers } from "../../numbers/open_provider.ts";
import type { Ports, StoreOverview } from "../../model/ports/ports.ts";
import type { Blobs, NumberProvider } from "../../model/ports/providers.ts";
import { serverSigner } from "../adapters/server_signature.ts";
import { sidMaker } from "../../base/sid.ts";
import { withSimulation } from "../../trials/simulation/control.ts";
import { counting, type WriteObserver } from "../../supervisor/counters.ts";
import { callsCreated, callsEnded, messagesCreated } from "../../metrics/service_metrics.ts";
import { isPublicAddress } from "../net/public_address.ts";
import { authority, type Config, listOf, shownConfiguration } from "../configuration/config.ts";
import { ownRequests } from "../adapters/own_requests.ts";
import { locationSource } from "../adapters/location_source.ts";
import { emailSenderOf } from "../configuration/message_variables.ts";
import { keptOf } from "../configuration/retention_variables.ts";
import { iceSettings } from "../configuration/reach_variables.ts";
import { recognitionEndpoint } from "../configuration/speech_endpoints.ts";
import { httpTranscriber } from "../adapters/transcriber.ts";
import { smtpMailer } from "../adapters/mailer.ts";
import { agentRequests } from "../net/agent_request.ts";
import { outboundRequests } from "../adapters/outbound_fetch.ts";
import type { Clocks } from "../../base/steady_clock.ts";
import { log } from "../process/log.ts";
import { s3Blobs } from "../adapters/s3_blobs.ts";
import { isStoreShared } from "../configuration/store_location.ts";

/** Parts of the ports beside the configuration. */
export interface Parts {
  store:
    & Pick<
      Ports,
      | "records"
      | "accounts"
      | "changes"
      | "companions"
      | "jobs"
      | "ledger"
      | "sipTraces"
      | "cookies"
      | "stock"
    >
    & {
      overview: StoreOverview;
      clock: Pick<Clocks, "steadyNow">;
    };
  secretKey: string;
  bridgeSecret: BridgeSecret;
  rateMicros: TrunkSettings["rateMicros"];
  smsRateMicros: TrunkSettings["rateMicros"];
  /** Storage in which the audio of recordings is made. */
  audio: Blobs;
}

/** Measures calls and messages, and logs calls that have ended. */
export const writeObserver: WriteObserver = {
  onNewCall: ({ direction }) => callsCreated.inc({ direction }),
  onNewMessage: ({ direction }) => messagesCreated.inc({ direction }),
  onEndedCall({ sid, accountSid, direction, status, duration, from, to }) {
    callsEnded.inc({ direction, status });
    log("A call has ended", {
      level: "info",
      callSid: sid,
      accountSid,
      direction,
      status,
      durationS: duration,
      from,
      to,
    });
  },
};

/** Everything that core knows of the outside world, as the configuration has it. */
export function portsOf(config: Config, parts: Parts): Ports {
  const { store, secretKey, bridgeSecret } = parts;
  const now = () => Date.now();
  const { steadyNow } = store.clock;
  const fetchOutside = outboundRequests({
    ...(config.ALLOW_PRIVATE_URLS ? {} : { mayReach: isPublicAddress }),
    ...ownRequests(config),
  });
  return withSimulation(withKeyring({
    ...counting(store.records, writeObserver),
    accounts: store.accounts,
    companions: store.companions,
    jobs: store.jobs,
    store: store.overview,
    stock: store.stock,
    settings: settingsOf(config, parts),
    messageRoutes: [],
    messagePairs: createPairCap(steadyNow),
    mailer: config.SMTP_URL === "" ? null : smtpMailer(config.SMTP_URL, config.SIP_DOMAIN),
    blobs: blobsOf(config, parts.audio),
    sipTraces: store.sipTraces,
    cookies: store.cookies,
    changes: store.changes,
    transcriber: transcriber(config),
    locationSource: config.LOCATION_URL === "" ? null : locationSource(config.LOCATION_URL),
    signer: serverSigner(secretKey, config.SECRET_KEY_OTHER),
    ledger: store.ledger,
    numbers: numberProvider(config, store),
    control: companionClient({
      url: config.BRIDGE_URL,
      companions: store.companions,
      secret: bridgeSecret,
      fetch: agentRequests(),
      now,
      steadyNow,
      timeoutMs: 5_000,
    }),
    absentLogins: createAbsentLogins({
      steadyNow,
      isShared: isStoreShared(config) || config.EDGE,
    }),
    loop: createLoopShares(),
    now,
    steadyNow,
    newSid: sidMaker(now),
    fetch: fetchOutside,
    deriveToken: tokenDeriver(secretKey),
    log,
  }));
}

const settingsOf = (config: Config, parts: Parts): Ports["settings"] => ({
  baseUrl: config.BASE_URL,
  allowsPrivateUrls: config.ALLOW_PRIVATE_URLS,
  streamQueueS: config.STREAM_QUEUE_S,
  sipDomain: config.SIP_DOMAIN,
  phoneAddresses: phoneAddresses(config),
  instanceId: crypto.randomUUID(),
  webhookMaxAttempts: config.WEBHOOK_MAX_ATTEMPTS,
  keptMs: keptOf(config),
  sipTraceMs: config.SIP_TRACE_HOURS * 3_600_000,
  recordingLinkMs: config.RECORDING_LINK_HOURS * 3_600_000,
  revision: config.REVISION,
  requestRates: {
    reads: config.READS_PER_SECOND,
    writes: config.WRITES_PER_SECOND,
    requests: Number(config.REQUESTS_PER_SECOND),
  },
  loggedRequests: config.LOG_REQUESTS,
  clientPasswordMin: config.CLIENT_PASSWORD_MIN,
  strictSmsFrom: config.STRICT_SMS_FROM,
  dialMaxAgeMs: config.DIAL_MAX_AGE_S * 1_000,
  strictCallerId: strictCallerIdOf(config),
  strictEmailFrom: config.STRICT_EMAIL_FROM,
  emailSenders: listOf(config.EMAIL_SENDERS).map(emailSenderOf),
  smsRateMicros: parts.smsRateMicros,
  smsShortCodes: config.SMS_SHORT_CODES.split(",").filter(Boolean),
  recordingsPublic: config.RECORDINGS_PUBLIC,
  recordingsOpenInS3: config.S3_BUCKET !== "" && config.S3_SECURITY_LEVEL === "NONE",
  currency: config.CURRENCY || null,
  numberPriceMicros: Math.round(config.NUMBER_MONTHLY_PRICE * 1_000_000),
  transcriptionPriceMicros: Math.round(config.TRANSCRIPTION_PRICE * 1_000_000),
  monitorsCalls: config.CALL_MONITORING,
  consoleIdleMs: config.CONSOLE_IDLE_MINUTES * 60_000,
  configuration: shownConfiguration(config),
  trunks: trunkSettings(config, parts),
  ice: iceSettings(config),
});

/** The transports of SIP that the companion listens on, for phones. */
function phoneAddresses(config: Config): Ports["settings"]["phoneAddresses"] {
  const { SIP_UDP_PORT: UDP, SIP_TCP_PORT: TCP, SIP_TLS_PORT: TLS, SIP_PUBLIC_HOST } = config;
  const listened = Object.entries({ TLS, TCP, UDP }).filter(([, port]) => port !== 0);
  return [
    { transport: "WebSocket", address: config.SIP_WS_URL },
    ...listened.map(([transport, port]) => ({
      transport,
      address: authority(SIP_PUBLIC_HOST, port),
    })),
  ];
}

/** Audio is brought from where it is made to S3, where that is configured. */
function blobsOf(config: Config, made: Blobs): Blobs {
  if (config.S3_BUCKET === "") return made;
  return s3Blobs(made, {
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKeyId: config.S3_ACCESS_KEY,
    secretAccessKey: config.S3_SECRET_KEY,
    isOpen: config.S3_SECURITY_LEVEL === "NONE",
  });
}

function transcriber(config: Config): Ports["transcriber"] {
  const endpoint = recognitionEndpoint(config);
  return endpoint && httpTranscriber(endpoint);
}

/** The tables of rates, of calls and of messages. Throws an error that names the file. */
export const ratesOf = async (
  config: Config,
): Promise<Pick<Parts, "rateMicros" | "smsRateMicros">> => ({
  rateMicros: await ratesIn("RATES_FILE", config),
  smsRateMicros: await ratesIn("SMS_RATES_FILE", config),
});

async function ratesIn(name: "RATES_FILE" | "SMS_RATES_FILE", config: Config) {
  const file = config[name];
  if (file === "") return () => 0;
  const text = await Deno.readTextFile(file).catch((error) => {
    throw new Error(`Cannot read ${name} ${file}: ${error.message}`);
  });
  return readRates(text);
}

/** Null: it follows from the Gateways of the root account. */
function strictCallerIdOf(config: Config): boolean | null {
  const { STRICT_CALLER_ID: strict, OUTBOUND_PROXY, SIP_TRUSTED_SOURCES } = config;
  if (strict !== "auto") return strict === "true";
  return OUTBOUND_PROXY !== "" || SIP_TRUSTED_SOURCES !== "" ? true : null;
}

function trunkSettings(config: Config, { rateMicros }: Parts): TrunkSettings {
  const { OUTBOUND_PROXY: proxy, OUTBOUND_PROXY_USER: userName } = config;
  const credentials = userName === ""
    ? {}
    : { credentials: { userName, password: config.OUTBOUND_PROXY_PASSWORD } };
  return {
    outboundProxy: proxy === "" ? null : { proxy, ...credentials },
    sipHosts: config.DIAL_SIP_HOSTS.split(",").filter(Boolean),
    allowPrivate: config.ALLOW_PRIVATE_URLS,
    country: config.DEFAULT_COUNTRY || null,
    virtualNumberAccounts: listOf(config.VIRTUAL_NUMBER_ACCOUNTS),
    prefixes: listOf(config.DESTINATION_PREFIXES),
    premiumPrefixes: listOf(config.PREMIUM_PREFIXES),
    numbersVouched: config.NUMBERS_PROVIDER !== "open",
    rateMicros,
  };
}

function numberProvider(config: Config, { stock }: Parts["store"]): NumberProvider {
  switch (config.NUMBERS_PROVIDER) {
    case "open":
      return openNumbers;
    case "inventory":
      return inventoryNumbers(stock);
    case "http":
      return httpNumbers({
        url: config.NUMBERS_URL,
        token: config.NUMBERS_TOKEN,
        fetch: identifiedFetch,
      });
  }
}
