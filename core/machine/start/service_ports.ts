import { createLoopShares } from "../../model/rest/loop_shares.ts";
import type { BridgeSecret } from "../../protocol/bridge_secret.ts";
import { identifiedFetch } from "../net/identified_fetch.ts";
import { tokenDeriver } from "../../accounts/derive_token.ts";
import { createAbsentLogins } from "../../companions/absent_logins.ts";
import { companionClient } from "../../companions/client.ts";
import { readRates } from "../../calls/rates.ts";
import { createPairCap } from "../../model/values/pair_cap.ts";
import { httpNumbers } from "../../numbers/http_provider.ts";
import { inventoryNumbers } from "../../numbers/inventory_provider.ts";
import { openNumbers } from "../../numbers/open_provider.ts";
import type { Ports, StoreOverview } from "../../model/ports/ports.ts";
import type { Blobs, NumberProvider } from "../../model/ports/providers.ts";
import { serverSigner } from "../adapters/server_signature.ts";
import { sidMaker } from "../../base/sid.ts";
import type { WriteObserver } from "../../supervisor/counters.ts";
import { callsCreated, callsEnded, messagesCreated } from "../../metrics/service_metrics.ts";
import { isPublicAddress } from "../../base/public_address.ts";
import type { Config } from "../configuration/config.ts";
import { type Rates, settingsOf } from "../configuration/service_settings.ts";
import { withLayers } from "./port_layers.ts";
import { ownRequests } from "../adapters/own_requests.ts";
import { locationSource } from "../adapters/location_source.ts";
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
export interface Parts extends Rates {
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
  return withLayers({
    records: store.records,
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
  }, writeObserver);
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
): Promise<Rates> => ({
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
