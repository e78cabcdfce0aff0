import type { Settings } from "../../model/values/settings.ts";
import type { TrunkSettings } from "../../model/values/trunk_settings.ts";
import { authority, type Config, shownConfiguration, variables } from "./config.ts";
import { iceSettings } from "./reach_variables.ts";
import { retentionOf } from "./retention_variables.ts";
import { listOf, type SettingsOf, type Variable, type VariableGroup } from "./variable.ts";

/** Prices of calls and messages by number, in millionths, from the files of rates. */
export interface Rates {
  rateMicros: TrunkSettings["rateMicros"];
  smsRateMicros: TrunkSettings["rateMicros"];
}

type Declared = typeof variables;

/** The settings that variables declare. */
type DeclaredSetting = {
  [V in keyof Declared]: Declared[V] extends { sets: infer S } ? keyof S & keyof Settings : never;
}[keyof Declared];

/** The same variables; the compiler holds each function of `sets` to its variable and its setting. */
const declared: { [V in keyof Config]: { group: VariableGroup; sets?: SettingsOf<Config[V]> } } =
  variables;

function declaredSettings(config: Config): Pick<Settings, DeclaredSetting> {
  const entries = Object.entries<Pick<Variable, "sets">>(declared).flatMap((
    [name, { sets = {} }],
  ) =>
    Object.entries<(value: never) => unknown>(sets).map(([setting, of]) => {
      const value = config[name as keyof Config] as never; // `declared` has held its type to `of`.
      return [setting, of(value)] as const;
    })
  );
  // The entries are those that DeclaredSetting names.
  return Object.fromEntries(entries) as Pick<Settings, DeclaredSetting>;
}

/** The settings of core. Those of one variable are declared with it; the others follow from several. */
export const settingsOf = (config: Config, rates: Rates): Settings => ({
  ...declaredSettings(config),
  phoneAddresses: phoneAddresses(config),
  instanceId: crypto.randomUUID(),
  keptMs: retentionOf(config),
  requestRates: {
    reads: config.READS_PER_SECOND,
    writes: config.WRITES_PER_SECOND,
    requests: Number(config.REQUESTS_PER_SECOND),
  },
  strictCallerId: strictCallerIdOf(config),
  smsRateMicros: rates.smsRateMicros,
  recordingsOpenInS3: config.S3_BUCKET !== "" && config.S3_SECURITY_LEVEL === "NONE",
  configuration: shownConfiguration(config),
  trunks: trunkSettings(config, rates),
  ice: iceSettings(config),
});

/** The transports of SIP that the companion listens on, for phones. */
function phoneAddresses(config: Config): Settings["phoneAddresses"] {
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

/** Null: it follows from the Gateways of the root account. */
function strictCallerIdOf(config: Config): boolean | null {
  const { STRICT_CALLER_ID: strict, OUTBOUND_PROXY, SIP_TRUSTED_SOURCES } = config;
  if (strict !== "auto") return strict === "true";
  return OUTBOUND_PROXY !== "" || SIP_TRUSTED_SOURCES !== "" ? true : null;
}

function trunkSettings(config: Config, { rateMicros }: Rates): TrunkSettings {
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
