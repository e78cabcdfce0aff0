import { logSettings } from "../core/machine/configuration/log_variables.ts";
import { bridgeSecretOf } from "../core/protocol/bridge_secret.ts";
import { identifiedFetch } from "../core/machine/net/identified_fetch.ts";
import { originFields } from "../core/base/origin.ts";
import { isPublicAddress } from "../core/base/public_address.ts";
import { stayAwake } from "../core/machine/process/clocks.ts";
import { log, setLog } from "../core/machine/process/log.ts";
import { startLine } from "../core/machine/configuration/address_notes.ts";
import { authority, type Config, readConfig } from "../core/machine/configuration/config.ts";
import { listOf } from "../core/machine/configuration/variable.ts";
import { portRange } from "../core/machine/configuration/media_variables.ts";
import { outboundFetch } from "../core/machine/adapters/outbound_fetch.ts";
import { ownRequests } from "../core/machine/adapters/own_requests.ts";
import { iceSettings } from "../core/machine/configuration/reach_variables.ts";
import {
  createFailure,
  fail,
  say,
  sayStarted,
  stopOnSignal,
  surviveBugs,
} from "../core/machine/process/process.ts";
import {
  recognitionEndpoint,
  speechEndpoint,
  voiceNames,
} from "../core/machine/configuration/speech_endpoints.ts";
import { awaitSecret } from "../core/machine/process/secret_file.ts";
import { grantIceServers } from "../core/base/ice_servers.ts";
import { limits } from "../core/base/limits.ts";
import { boundOfAddress, createPlaces } from "../core/machine/net/places.ts";
import { type Companion, startCompanion } from "./companion.ts";
import { pairsOfSystem } from "./media_shares.ts";
import type { CompanionOptions } from "./companion_options.ts";
import type { TransportOptions } from "./transport/listen.ts";
import {
  httpRecogniser,
  httpSpeaker,
  keepMedia,
  loadAudio,
  type MediaEngine,
  type MediaPlaces,
  type Received,
} from "./media/mod.ts";
import { sipLimits } from "./base/limits.ts";
import { socketWorkers } from "./media/sockets.ts";
import { collectProcess } from "../core/metrics/registry.ts";
import { listenMetrics } from "../core/machine/net/listen_metrics.ts";
import { rtpJitter, rtpLate, rtpLost, rtpReceived } from "./base/metrics.ts";
import { nearAddress } from "./transport/near_address.ts";
import type { IceServersOf } from "./contracts/signalling.ts";

/**
 * The companion process: SIP, media and the call-control protocol. The only file that puts them
 * together.
 */
async function start(
  config: Config,
  media: MediaEngine,
  { onListenerOver, onStuck }: { onListenerOver(error: Error): void; onStuck(): void },
): Promise<Companion> {
  const secretFile = `${config.DATA_DIR}/bridge_secret`;
  const ownSecret = config.BRIDGE_SECRET || await awaitSecret(secretFile, 10_000);
  const bridgeSecret = bridgeSecretOf(ownSecret, config.BRIDGE_SECRET_OTHER);
  const most = config.MAX_CONNECTIONS;
  const fetchOutside = outboundFetch({
    ...(config.ALLOW_PRIVATE_URLS ? {} : { mayReach: isPublicAddress }),
    ...ownRequests(config),
  });
  const { first, last } = portRange(config.RTP_PORTS);
  return await startCompanion({
    portPairs: first === 0 ? pairsOfSystem(most) : Math.floor((last - first - first % 2 + 1) / 2),
    sipHost: config.SIP_HOST,
    sipPort: config.SIP_WS_PORT,
    transports: transports(config),
    admission: {
      connectionsPerAddress: boundOfAddress(config.SIP_CONNECTIONS_PER_ADDRESS, most),
      unauthenticatedRequestsPerS: config.SIP_STRANGER_REQUESTS_PER_S,
    },
    places: createPlaces(most),
    onListenerOver,
    trustedProxies: listOf(config.TRUSTED_PROXIES),
    bridgeHost: config.BRIDGE_HOST,
    bridgePort: config.BRIDGE_PORT,
    bridgeUrl: config.BRIDGE_URL,
    sipUri: config.SIP_PEER_URI,
    serviceUrl: config.SERVICE_URL,
    bridgeSecret,
    sipDomain: config.SIP_DOMAIN,
    sha256Everywhere: config.SIP_SHA256,
    id: config.COMPANION_ID,
    trustedSources: listOf(config.SIP_TRUSTED_SOURCES),
    iceServersOf: iceServersOf(config),
    isPublicAddress,
    sockets: socketWorkers({
      script: new URL("./script/socket_worker.ts", import.meta.url),
      mayReachPrivate: config.ALLOW_PRIVATE_URLS,
      log,
      onStuck,
    }),
    mediaRelay: config.MEDIA_RELAY,
    rtpTimeoutMs: config.RTP_TIMEOUT_S * 1_000,
    tracesCalls: config.SIP_TRACE_HOURS > 0,
    media,
    loadAudio: loadAudio({ fetch: (input, init) => fetchOutside(new Request(input, init)) }),
    ...speech(config),
    log,
  });
}

/** Text-to-speech and speech recognition, where they are configured; their addresses are the operator's. */
function speech(config: Config): Pick<CompanionOptions, "speaker" | "recogniser"> {
  const [speaking, hearing] = [speechEndpoint(config), recognitionEndpoint(config)];
  const voices = voiceNames(config);
  return {
    ...speaking && { speaker: httpSpeaker({ fetch: identifiedFetch, endpoint: speaking, voices }) },
    ...hearing && { recogniser: httpRecogniser({ fetch: identifiedFetch, endpoint: hearing }) },
  };
}

/** Peers on the machine's own network get its address there, in place of PUBLIC_IP. */
function nearPeers(
  { PUBLIC_IP, SIP_HOST, SIP_PUBLIC_HOST, RTP_HOST }: Config,
): Pick<TransportOptions, "nearHost" | "nearMedia"> {
  const near = nearAddress(SIP_HOST);
  const isPublic = (host: string) => PUBLIC_IP !== "" && host === PUBLIC_IP;
  return {
    ...isPublic(SIP_PUBLIC_HOST) && { nearHost: near },
    ...isPublic(RTP_HOST) && { nearMedia: near },
  };
}

/** ICE servers for browsers, with credentials of the Client that they are registered as. */
function iceServersOf(config: Config): IceServersOf {
  const settings = iceSettings(config);
  return (login) =>
    grantIceServers(settings, login, Date.now() + limits.tokenTtlS * 1_000).iceServers;
}

/** The transports that are configured; port 0 means none. */
function transports(config: Config): TransportOptions {
  const { SIP_WSS_PORT: WSS, SIP_UDP_PORT: UDP, SIP_TCP_PORT: TCP, SIP_TLS_PORT: TLS } = config;
  const ports = Object.entries({ WSS, UDP, TCP, TLS }).filter(([, port]) => port !== 0);
  return {
    ports: Object.fromEntries(ports),
    webSocketHost: config.SIP_WS_HOST,
    publicHost: config.SIP_PUBLIC_HOST,
    ...nearPeers(config),
    certificate: { certFile: config.SIP_TLS_CERT, keyFile: config.SIP_TLS_KEY },
  };
}

/** Addresses and ports of browsers' media (WebRTC) and of phones' and trunks' (plain RTP). */
function mediaPlaces(config: Config): MediaPlaces {
  const { SIP_HOST: bindAddress, RTP_HOST: host } = config;
  const { MEDIA_PORT: port, RTP_PORTS, PUBLIC_IP: publicHost } = config;
  const ports = portRange(RTP_PORTS);
  return {
    rtp: { bindAddress, host, ports },
    webrtc: { bindAddress, ...port !== 0 && { port }, ...publicHost !== "" && { publicHost } },
  };
}

function measureReceived({ received, lost, late, jitterMs }: Received): void {
  rtpReceived.inc(received);
  rtpLost.inc(lost);
  rtpLate.inc(late);
  if (received > 0) rtpJitter.observe(jitterMs / 1_000);
}

if (import.meta.main) {
  surviveBugs();
  try {
    const config = readConfig((name) => Deno.env.get(name));
    setLog({ process: "companion", context: originFields, ...logSettings(config) });
    stayAwake();
    collectProcess(() => Deno.memoryUsage().rss);
    const over = createFailure();
    let endWithMedia = (): void => fail(new Error("Cannot start: the media Worker ended"));
    let whenIdle = (): void => {};
    const media = await keepMedia({
      places: mediaPlaces(config),
      mayReachPrivate: config.ALLOW_PRIVATE_URLS,
      log,
      onReceived: measureReceived,
      onStuck: () => whenIdle(),
      // The next one is the supervisor's to start.
      onOver: () => endWithMedia(),
    });
    const companion = await start(config, media, {
      onListenerOver: over.fail,
      onStuck: () => whenIdle(),
    });
    const { SIP_WS_URL, SIP_PUBLIC_HOST } = config;
    const { WS, ...others } = Object.fromEntries(companion.sipAddresses);
    if (WS !== undefined) say(startLine("SIP over WebSocket", SIP_WS_URL, WS));
    for (const [protocol, listened] of Object.entries(others)) {
      const reached = authority(SIP_PUBLIC_HOST, listened.port);
      say(startLine(`SIP over ${protocol}`, reached, listened));
    }
    const { METRICS_HOST: hostname, SIP_METRICS_PORT: port } = config;
    await listenMetrics({ hostname, port, name: "SIP_METRICS_PORT", log }, companion.showGauges);
    sayStarted();
    const drainMs = config.DRAIN_S * 1_000;
    endWithMedia = stopOnSignal(async (hurry) => {
      await companion.drain(drainMs, hurry);
      await companion.stop();
    }, drainMs + 9_000);
    over.endBy(endWithMedia);
    // A thread that hangs ends with the process alone, which waits until no call is live.
    whenIdle = () => {
      log("A Worker that hangs keeps a core busy: this companion ends when it has no calls");
      setInterval(() => companion.liveLegs() === 0 && endWithMedia(), sipLimits.idleLookMs);
    };
  } catch (error) {
    fail(error);
  }
}
