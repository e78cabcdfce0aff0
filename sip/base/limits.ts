import { protocolLimits } from "../../core/protocol/companion.ts";

/** Every bound of the companion's signalling; milliseconds end in Ms, seconds in S. */
export const sipLimits = {
  /** Audio streams of one way that a leg has at once, and how long the last ones may take to end. */
  streamCopies: 4,
  streamsEndMs: 2_000,
  /** A message, however it came; of a WebSocket, in all its frames (RFC 7118 §5). */
  messageBytes: 64 << 10,
  /**
   * Rate and burst of a peer of SIP over WebSocket, in frames of RFC 6455 and in bytes. Beyond it the
   * peer has to wait. Another companion sends the messages of all its calls.
   */
  webSocketPace: {
    framesPerS: 5_000,
    burstFrames: 10_000,
    bytesPerS: 8 << 20,
    burstBytes: 16 << 20,
  },
  headers: 128,
  /** X- and User-to-User headers of a message that are passed on, and the length of each. */
  passedHeaders: 32,
  passedHeaderLength: 1_024,
  headerBytes: 8 << 10,
  /** Values of a header, parameters of a value, and headers of a URI; more are malformed. */
  parts: 100,
  requestUriLength: 512,
  /** Of a caller, in reports. */
  displayNameLength: 255,
  /** The request for a WebSocket; browsers send their cookies with it. */
  httpHeadBytes: 16 << 10,
  /** Ping of an idle socket, and the time it has for its pong. */
  socketIdleS: 60,
  socketCloseMs: 1_000,
  connectTimeoutMs: 5_000,
  /** For all DNS queries about one URI, and for one of them. */
  dnsTimeoutMs: 5_000,
  dnsQueryMs: 1_500,
  /** Addresses that one URI may lead to. */
  targets: 20,
  /** The same of a Contact that a Client wrote: each of its requests may have them connected to. */
  contactTargets: 3,
  /** Names of a domain that are queried for SRV records. */
  srvNames: 6,
  /** From the first byte of a message in a stream to its last. */
  messageCompleteMs: 10_000,
  /** Of a silent stream without an authenticated Client, and of any other. */
  unauthenticatedIdleMs: 64_000,
  streamIdleMs: 3_700_000,
  /** Sent on a stream and not yet taken by the peer. */
  unsentBytes: 1 << 20,
  /** UDP flows that are kept. */
  udpFlows: 50_000,
  /** Datagrams that are read before other work gets a turn of the event loop. */
  datagramsAtOnce: 64,
  /** Between two looks whether the calls of a companion that drains have ended. */
  drainLookMs: 100,
  /** Between two looks for flows without a use, when they are too many. */
  udpPurgeMs: 1_000,

  /** Bounds of unauthenticated sources by address, unless configured. */
  admission: { connectionsPerAddress: 1_000, unauthenticatedRequestsPerS: 200 },
  /**
   * Burst in seconds of the rate, the part of it for one connection, and the number of addresses that
   * are counted.
   */
  admissionPace: { burstS: 10, connectionPart: 1 / 20, addresses: 20_000 },
  /** Look-ups of logins under way for one address. */
  lookupsOfAddress: 256,

  nonceTtlMs: 300_000,
  nonces: 50_000,
  /**
   * Wrong answers to our challenges that a login by one connection, a login in one network, and a
   * network may give at once, and the time in which one of them is forgotten. Each one more doubles the
   * time of the lock.
   */
  wrongAnswersOfDevice: { free: 5, forgetMs: 60_000 },
  wrongAnswersOfLogin: { free: 20, forgetMs: 60_000 },
  wrongAnswersFromAddress: { free: 50, forgetMs: 5_000 },
  lockoutMinMs: 2_000,
  lockoutMaxMs: 600_000,
  /** Connections, logins in networks, and networks, whose wrong answers are remembered. */
  lockouts: 10_000,
  /** Logins in networks that gave a right answer there and so are not locked by other logins. */
  knownHomes: 50_000,
  credentialsTtlMs: 30_000,
  unknownLoginTtlMs: protocolLimits.absentLoginMs,
  /** Greatest age of cached credentials while the service is out of reach. */
  credentialsGraceMs: 600_000,
  cachedLogins: 10_000,
  /** Logins that are queried at the same time when all are. */
  lookupsAtOnce: 50,

  registrationMinS: 60,
  registrationDefaultS: 3_600,
  registrationMaxS: 3_600,
  bindingsPerClient: 10,
  /** Voices that a provider refused in one call, which are remembered. */
  refusedVoices: 100,
  /** Proxies on the way of one registration. */
  pathProxies: 10,
  /** Time that a call waits for a new connection to the proxy of one device, while others can ring. */
  pathWaitMs: 500,
  userAgentLength: 200,
  /** Time for which the list of the machine's addresses is cached. */
  ownAddressesMs: 10_000,

  /** Session interval, and the smallest one that a peer may request (RFC 4028 §4). */
  sessionExpiresS: 1_800,
  sessionExpiresMinS: 90,
  /** The longest one that is agreed to when a peer demands more. */
  sessionExpiresMaxS: 86_400,
  /** T1 and 64*T1 of reliable provisional responses (RFC 3262 §3). */
  reliableResendMs: 500,
  reliableGiveUpMs: 32_000,
  /** Of a text message, in characters, as the records of Messages hold them. */
  textLength: 160,
  /** The same of a trunk's. */
  trunkTextLength: 1_600,
  /** Of the id by which a trunk's message is recognised when it is repeated. */
  messageIdLength: 180,
  /** Of the body of a USSD dialogue, in characters, and the parts of a body. */
  ussdBodyLength: 8 << 10,
  bodyParts: 8,
  /**
   * Time for the reply of a user to a USSD message, unless configured, and for the confirmation of a
   * device that it showed one that needs no reply.
   */
  ussd: { replyMs: 180_000, shownMs: 10_000 },
  /** Of a digit, a `Refer-To` and the body of an INFO, in characters. */
  infoLength: 4 << 10,
  /** The length of the subscription that a REFER implies, in s. */
  referExpiresS: 180,
  /** Time for the script of the service that handles a transfer. */
  referScriptMs: 20_000,
  /** Time for a softphone to answer a call that replaces one of its own. */
  replacesRingS: 30,
  /** Time for a transferor to hang up once its transfer is done. */
  transferLeaveMs: 2_000,

  /** Servers on the route to a callee that may each challenge. */
  challengers: 4,
  /** Time for the first response of a trunk to INVITE or REGISTER before it counts as dead. */
  trunkAnswerMs: 5_000,
  /** Between two line ends that keep a connection to a Gateway's proxy open. */
  keepAliveMs: 25_000,
  /** Between two attempts to register a Gateway. */
  gatewayRetryMinMs: 2_000,
  gatewayRetryMaxMs: 300_000,
  /** The longest registration that is requested because a registrar demands it. */
  gatewayExpiresMaxS: 86_400,
  /**
   * Time that a call looks for a trunk that answers, and after which time without a sign of one its
   * caller hears that it rings.
   */
  trunkSearchMs: 30_000,
  trunkSilentMs: 1_000,
  /** Time that a server may take to answer OPTIONS, and between two of them to a silent one. */
  trunkProbeAnswerMs: 2_000,
  trunkProbeMinMs: 4_000,
  trunkProbeMaxMs: 60_000,
  /** The longest time between two calls that try a silent server in its own place. */
  trunkTrialMaxMs: 3_600_000,
  /** Servers of trunks that are remembered, and for how long their 503 with Retry-After is heeded. */
  trunkHolds: 10_000,
  trunkHoldMaxS: 3_600,
  /** Longest ringing of a call from another companion; the other one gives up before. */
  peerRingMs: 660_000,

  /**
   * Time for another companion to answer a call to a conference or a queue, or to show that it is alive,
   * and time to join it.
   */
  remoteAnswerMs: 8_000,
  remoteJoinMs: 20_000,
  /** Interval between the last sign of life of that companion and the next probe. */
  remoteProbeMs: 4_000,

  maxForwards: 70,
  retryAfterS: 10,
  /** Time for which a dialog outlives its connection, for the softphone to reconnect. */
  reconnectGraceMs: 8_000,
  /** 64*T1: a cancelled INVITE without a final response is given up (RFC 3261 §9.1). */
  cancelGraceMs: 32_000,
  mediaConnectMs: 15_000,
  /** Speech of a Gather: the silence that ends an utterance, and the longest one. */
  utterancePauseMs: 1_000,
  utteranceMs: 60_000,
  /** Between two partial results of recognition. */
  partialSpeechMs: 2_000,
  /** After the end of a transcription, for the words that were said last. */
  lastWordsMs: 10_000,
  /** Utterances without words after which a Gather listens no more. */
  wordlessUtterances: 3,
  /**
   * Of a conversation by text: how long the rest of a sentence waits for its end, characters and
   * sounds that wait to be said, utterances that wait to be understood, and characters of what the
   * server hands over at the end.
   */
  conversation: {
    tokenWaitMs: 1_000,
    waitingLength: 20_000,
    waitingItems: 200,
    waitingUtterances: 4,
    languages: 50,
    handoffLength: 16_000,
    /** Characters of the URL of a sound, and values of a message. */
    urlLength: 2_048,
    values: 1_000,
  },
  /** Callees of one forked INVITE whose early SDP is kept. */
  earlyAnswers: 16,
  /** Longest time that a peer may leave an offer in a call open after a provisional response. */
  offerAnswerMs: 60_000,
  /** Interval between two probes of a phone that sends no audio. */
  probeMs: 25_000,
  /** Time without a message of the phone after which a session refresh follows an OPTIONS. */
  probeAnswerMs: 10_000,
  /** Interval at which a companion that is to end without calls checks for calls. */
  idleLookMs: 5_000,
  /** Between the loss of a leg's media and our BYE. */
  byeGraceMs: 2_000,

  /** Reports that want no script: of one request, and requests with such at once, of a tenant too. */
  eventsAtOnce: 100,
  eventsRequests: 8,
  eventsRequestsOfTenant: 2,
  /** Those that want one: of one request, and how long they gather while none begins to be answered. */
  scriptRequestsAtOnce: 16,
  scriptRequestsWaitMs: 100,
  reportTimeoutMs: 10_000,
  scriptTimeoutMs: 60_000,
  /** Number of 500 responses of the service after which a report is dropped. */
  reportDefects: 8,
  /** Assumed length of a shortage while no leg ends. */
  shortageMs: 30_000,
  /** A new call is refused when the service has been out of reach for so long. */
  serviceGraceMs: 3_000,
  /**
   * An idle connection to the service is reused for so long: less than the 130 s of the service and
   * the 75 s of nginx, so that no request meets the other end's close. Deno would send such a
   * request's bytes again.
   */
  reuseMs: 60_000,
  /** After a heartbeat that the service did not hear, as before it is up. */
  heartbeatRetryMs: 500,
  /** In a row, after which the log names the problem, and between two such lines (five minutes). */
  heartbeatMisses: 6,
  heartbeatMissesLogged: 600,
  /** Sound that waits for the service: of one recording (two minutes of two channels), and of all. */
  recordingHeldBytes: 4 << 20,
  recordingsHeldBytes: 256 << 20,
  /** Time that what is left of a recording is sent again after it ended: a disk is full for a night. */
  recordingGiveUpMs: 86_400_000,
  /** Time that the end of a recording waits until the service has all of it. */
  recordingSettleMs: 5_000,
  /** Attempts to report a hold while offers cross, and the longest pause between (RFC 3261 §14.1). */
  holdTries: 5,
  crossedOfferMs: 2_000,
  retryMinMs: 200,
  retryMaxMs: 5_000,
  /** The same while a caller waits for what to do. */
  retryWaitingMaxMs: 1_000,
  /** A dial that took so long counts as time that passed. */
  timePassedMs: 1_000,
  /** Wait documents in a row that let no time pass, before music takes their place. */
  waitDocuments: 3,
  /** Time for which the id of a settled leg is kept, so that a repeated `invite` is ignored. */
  endedLegMs: 60_000,
  /** Time for which a leg is measured after a request for its level, and the most legs. */
  levelLeaseMs: 15_000,
  levelMeters: 500,
  stopMs: 5_000,
  /** Messages of live calls, for traces of those that fail: of all calls together. */
  traces: {
    bytes: 32 << 20,
    /** Call-IDs. */
    calls: 20_000,
    /** Calls of no leg: not authenticated yet, or refused before that. */
    unowned: 500,
  },
  /** Traces that are being sent to the service at once; those beyond that are not sent. */
  tracesSent: 8,
} as const;

/** Timers of transactions on unreliable transports (RFC 3261 §17, table 4), and how many of them. */
export const transactionTimers = {
  t1Ms: 500,
  t2Ms: 4_000,
  tryingMs: 200,
  /** 64*T1: what Timers B, D, F, H and J come to. */
  transactionMs: 32_000,
  /**
   * Repeats of a refusal that follows a provisional response, to a source that has not proven a
   * login.
   */
  unauthenticatedRepeats: 2,
  /** Bytes of refusals to such a source for each byte that came from it (as RFC 9000 §8.1). */
  amplification: 3,
  max: 20_000,
} as const;
