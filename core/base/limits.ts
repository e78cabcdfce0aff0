/** Bounds of the service; an area with many has a limits file of its own. Times are in ms unless named. */
export const limits = {
  apiVersion: "2012-04-24",
  /** Under which gateways answer as well. */
  gatewayApiVersion: "2010-04-01",
  /** Of the interface for Twilio's libraries, and of the calls and texts that it makes. */
  twilioApiVersion: "2010-04-01",

  /** The shortest and longest time for which TURN credentials are good, in seconds. */
  tokenTtlMinS: 60,
  tokenTtlS: 86_400,

  pageSizeDefault: 50,
  pageSizeMax: 1_000,
  bodyBytes: 1 << 20,
  /** Characters of an answer that is sent as it is; a longer one is compressed. */
  plainTextLength: 1_024,
  /** Interval in which a refused request of one kind leaves one Notification, in ms. */
  refusalNoticeMs: 60_000,
  /**
   * Most Notifications a day about the programs of a tenant, by fault and instance; most tenants
   * with such counts in memory.
   */
  dailyNotices: 50,
  dailyNoticeTenants: 10_000,
  /** Parameters of one request, and characters of one parameter. */
  parameters: 1_000,
  /** Members, elements, arrays and objects of a JSON response to a flow. */
  jsonValues: 10_000,
  parameterLength: 16 << 10,
  /** Of the longest of them, but for markup: a flow. */
  longParameterLength: 40 << 10,
  /**
   * Characters of an Idempotency-Key, its retention, and the most of an account; characters of a
   * stored part of a response.
   */
  idempotencyKeyLength: 255,
  idempotencyRetentionMs: 24 * 3_600_000,
  idempotencyKeys: 1_000_000,
  idempotencyPartLength: 30_000,
  /** Seconds of Retry-After while a part of the service is out of reach. */
  retryAfterS: 5,
  /** So many seconds' worth of requests an account may send at once. */
  requestBurstS: 10,
  /** Time in which a part of the service must prove that it is there. */
  readyTimeoutMs: 2_000,
  /** Jobs that one overview of the queue counts, and dead ones that it lists. */
  countedJobs: 50_000,
  listedDeadJobs: 200,
  /** Accounts whose records one overview of the store counts. */
  countedAccounts: 1_000,
  /** Unknown parameters that one Warning header names. */
  warnedNames: 10,
  friendlyNameLength: 64,
  /** Each line of a postal address. */
  addressLineLength: 200,
  urlLength: 2_048,
  /** Of a host name (RFC 1035 §2.3.4). */
  hostLength: 253,
  passwordLength: 128,
  /** Length of the value of a filter. */
  filterLength: 2_048,
  /** Names and addresses by which records are looked up. */
  lookupLength: 254,
  /** Of each text in a Notification. */
  noticeLength: 8_192,
  accountLevels: 3,
  /** Sub-accounts of an account below the root account, closed ones too: each stays in the store. */
  subAccounts: 1_000,

  /** Gateways of a tenant. */
  gatewaysOfTenant: 200,

  /** Of a virtual number, which may be a pattern. */
  numberPatternLength: 128,
  /** Patterns of a tenant, and the instructions of all of them (`programSize`). */
  patternsOfTenant: 100,
  patternInstructions: 2_500,
  /** Of a dialled text that is matched against patterns. */
  patternTextLength: 64,
  /** Memory of compiled patterns, about. */
  patternBytes: 16 << 20,
  /** Numbers that one search offers, and those it looks at that may be held already. */
  numberOffers: 250,
  numberOffersExamined: 5_000,
  /** Numbers of an area code that are tried when others take them at the same moment. */
  numberAttempts: 20,
  /** Numbers of an import that are written between two lines of progress. */
  importGroup: 1_000,
  importProblems: 20,
  numbersTimeoutMs: 10_000,
  numbersAnswerBytes: 1 << 20,

  commitAttempts: 30,
  storeTimeoutMs: 5_000,
  /** Records that a list reads one by one while the index it needs is being built. */
  scannedWithoutIndex: 50_000,
  /** Records that a migration reads at once. */
  migratedAtOnce: 200,
  /** Entries that one commit of a migration deletes, or counters that it writes. */
  clearedAtOnce: 400,
  /** Time after which another service continues a migration without progress. */
  migrationLeaseMs: 15_000,
  /** Interval at which a service on a shared store looks for a change of its layout. */
  layoutPollMs: 2_000,
  /** Age up to which a cached account is used; this instance's own changes show at once. */
  accountRecentMs: 1_000,
  recentAccounts: 1_000,
  /**
   * Records of lists with filters that stay in memory, as stored; decoded and with their written texts
   * they take four times as much.
   */
  recentRecordBytes: 4 << 20,
  /** The same of lists without filters, where records stay by their place in the list. */
  recentRunBytes: 6 << 20,
  /** Pages of lists of a shared store that stay in memory, by an estimate of their bytes. */
  recentPageBytes: 32 << 20,
  /** Counters of lists in the cache, at some 30 bytes each. */
  cachedCounters: 200_000,

  jobLeaseMs: 30_000,
  jobPollMs: 1_000,
  jobsPerLane: 16,
  /**
   * In all lanes of one kind that wait for servers of others; those of the service's own are beside
   * it.
   */
  jobsOutside: 256,
  /**
   * Of these, in all lanes of a tenant to a customer's server, in all lanes to one host, and in all
   * of one tenant.
   */
  jobsToServer: 32,
  jobsPerHost: 64,
  jobsPerTenant: 96,
  /** Jobs to a customer's server without recent good responses; each good one allows one more. */
  jobsToUnknownHost: 2,
  /**
   * Failures in a row after which a customer's server is left alone, at first and at most for so
   * long.
   */
  circuitFailures: 5,
  circuitOpenMs: 5_000,
  circuitOpenMaxMs: 60_000,
  /** Most lanes to customers' servers whose circuit breaker is in memory. */
  knownLanes: 10_000,
  /** Lanes that are looked at together. */
  lanesAtOnce: 32,

  /** Of TimeLimit: a day. */
  callTimeLimitS: 86_400,
  maxSpeechTimeS: 60,
  ringTimeoutS: 60,
  ringTimeoutMaxS: 600,
  machineDetectionS: 30,
  machineDetectionMinS: 3,
  machineDetectionMaxS: 59,
  /** Answering machine detection: minimum, default and maximum of its parameters. */
  machineSpeechMs: [1_000, 2_400, 6_000],
  machineSpeechEndMs: [500, 1_200, 5_000],
  machineSilenceMs: [2_000, 5_000, 10_000],
  dialTimeoutS: 30,
  dialTimeLimitS: 14_400,
  dialLegs: 10,
  /** Headers of an INVITE that requests for markup carry, and characters of each. */
  sipHeaders: 20,
  sipHeaderLength: 1_000,
  /** Numbers of this service that one call may go through, each by the markup of the one before. */
  numberHops: 3,

  documentBytes: 64 << 10,
  /** Of markup that a request sends, in UTF-8, as a record has room for it; longer is compressed. */
  inlineMarkupBytes: 40 << 10,
  documentVerbs: 100,
  /** Verbs, and all that is inside them. */
  documentElements: 500,
  /** Attributes of all of them. */
  documentAttributes: 2_000,
  /** Problems that a test of markup lists. */
  documentProblems: 100,
  documentHops: 50,
  documentTimeoutMs: 15_000,
  /** Time after their last use for which cookies of a pair of From and To are stored. */
  cookieRetentionMs: 4 * 3_600_000,
  /** Cookies of a pair at one host, and bytes of all their names, values and paths. */
  cookies: 20,
  cookieBytes: 4_096,
  /** Of a flow, in UTF-8; sealed, a record of the store has no room for many more. */
  flowBytes: 40 << 10,
  /** Of the flow of an application and its draft together, which one sealed record holds. */
  flowsBytes: 44 << 10,
  flowSteps: 200,
  flowValues: 5_000,
  /** Branches, conditions, prompts, parameters or variables of one step of a flow. */
  flowParts: 50,
  /**
   * Steps in a row that take no time, requests to external services among them, and verbs of one
   * document.
   */
  flowStepsAtOnce: 100,
  flowRequestsAtOnce: 3,
  flowVerbs: 20,
  /** Characters of a variable that a flow keeps, and of all of them as they are handed on. */
  flowVariableLength: 2_000,
  flowVariablesLength: 32 << 10,
  /** Errors of a flow that one response lists. */
  flowErrors: 5,
  /** Characters of a USSD message: of the GSM alphabet in 7 bits, and of others. */
  ussdGsmLength: 182,
  ussdOtherLength: 80,
  pauseMaxS: 3_600,
  /** Length of an Echo without `length`. */
  echoS: 600,
  /** Characters that one Say speaks: about a quarter of an hour. */
  sayLength: 10_000,
  transcriptionAttempts: 4,
  /** Of the audio that is transcribed: over an hour of one channel. */
  transcriptionBytes: 64 << 20,
  transcriptionAnswerBytes: 4 << 20,
  /** Time limit of a transcription: its minimum, and the time for each second of audio. */
  transcriptionMs: 60_000,
  transcriptionMsPerS: 5_000,
  /** Transcriptions whose audio is in memory at once. */
  transcriptionsAtOnce: 2,
  /** Of these, long ones, for which the others need not wait, and how long a recording is then. */
  longTranscriptionsAtOnce: 1,
  longTranscriptionS: 60,
  /** Bytes of the text; a record of the store has no room for more. */
  transcriptionLength: 40_000,
  /** Most repeats of a Play that is not endless. */
  loopMax: 1_000,
  /** Steps of a Gather's prompt. */
  gatherPrompts: 100,
  gatherTimeoutS: 5,
  gatherTimeoutMaxS: 3_600,
  /** Digits of one Gather, of one `digits` or `sendDigits`, and keys of a set. */
  gatherDigits: 1_000,
  sentDigits: 200,
  keySetLength: 64,
  hints: 100,
  hintsLength: 4_000,

  callbackTimeoutMs: 15_000,
  /** Longest wait of a delivery for a server that fails and is therefore requested less often. */
  deliveryWaitMs: 24 * 3_600_000,
  /**
   * Attempts that a Delivery shows, the latest; of them together, and of the headers and the body
   * each.
   */
  deliveryAttemptsShown: 8,
  deliveryAttemptsLength: 8 << 10,
  deliveryAnswerLength: 1 << 10,
  deliveryErrorLength: 500,
  connectTimeoutMs: 5_000,
  /** Time that the look-up of a host name may take, and may wait for a place. */
  nameLookupMs: 4_500,
  /**
   * Longest times for which addresses, and failures, are cached; most names, and addresses of a
   * name.
   */
  nameCacheMs: 30_000,
  nameFailureCacheMs: 5_000,
  cachedNames: 2_000,
  addressesOfName: 16,
  /** Most accounts whose tenants a companion has in memory. */
  cachedTenants: 20_000,
  /** Look-ups that a process runs at once, and those of a tenant. One may hold two sockets. */
  nameLookups: 128,
  nameLookupsOfTenant: 16,
  /** Of them, queries that cannot be given up: to slow name servers, and by blocking threads. */
  slowQueries: 32,
  slowQueriesOfTenant: 4,
  systemLookups: 8,
  systemLookupsOfTenant: 2,
  callbackAnswerBytes: 64 << 10,
  redirects: 3,

  messageLength: 160,
  /** Over about a quarter of an hour. */
  messageAttempts: 8,
  /** Most attempts at a notification to the sender of a message, within two minutes. */
  notificationAttempts: 8,
  /** Longest wait of a message to be sent, and for the receipt of one that a carrier accepted. */
  messageWaitMs: 24 * 3_600_000,
  receiptWaitMs: 24 * 3_600_000,
  carrierIdLength: 200,
  aggregatorTimeoutMs: 15_000,
  aggregatorAnswerBytes: 16 << 10,
  /** Characters of a text that comes in and is one Message; a longer one becomes several. */
  arrivingLength: 1_600,
  /**
   * Of a text that comes in parts: how many there may be, the characters of each, and how long the
   * others are waited for.
   */
  textParts: 100,
  partLength: 254,
  partsWaitMs: 300_000,
  /** From one Client to one recipient in a minute, and pairs that are counted at once. */
  messagesOfPair: 30,
  messagePairs: 50_000,
  subjectLength: 160,
  /** Addresses in one of To, CC and BCC. */
  emailRecipients: 30,
  emailAttempts: 6,
  emailTimeoutMs: 30_000,
  conferenceNameLength: 128,
  queueNameLength: 64,
  /** Calls that wait in a queue at most. */
  queueMembers: 250,
  /** Seconds of music between the announcements of a flow's queue, and its longest wait. */
  queueMusicS: 30,
  queueWaitMaxS: 14_400,
  /** Time for which a place in a queue is reserved for a call on its way. */
  queueArrivingMs: 10_000,
  /** Time for which a waiting call stays assigned to one taker. */
  queueTakingMs: 30_000,
  /** Default and largest maxParticipants of a conference. */
  conferenceMembers: 40,
  conferenceMembersMax: 250,
  /** Of Record: the silence that ends it, and the whole. */
  recordTimeoutS: 5,
  recordTimeoutMaxS: 600,
  recordLengthS: 3_600,
  recordLengthMaxS: 14_400,
  /** Between two looks whether a recording that is under way still is. */
  recordingCheckMs: 60_000,
  /** Parts of a recording that do not come for so long after its call ended never will. */
  recordingForgottenMs: 900_000,
  storeAttempts: 30,
  /** Time limit of a request to the object storage; validity of a link to it. */
  s3TimeoutMs: 120_000,
  s3LinkS: 300,
  locationAttempts: 3,
  locationTimeoutMs: 10_000,
  locationAnswerBytes: 4 << 10,
  /** Records of an account that a job reads at once. */
  accountBatch: 100,

  /** Interval of the search for old records; records that are removed together. */
  removeOldMs: 3_600_000,
  removedAtOnce: 20,
  /** Times after which the deletion of a closed account's resources is repeated. */
  closingAgainMs: [60_000, 600_000],

  companionLostMs: 15_000,
  /** Time that the answer to a change of a Client waits until it is in force at the companions. */
  inForceMs: 1_000,
  /** Most changes in one message to a companion. */
  invalidationsAtOnce: 500,
  /**
   * Time for which the answer to a companion's query of a login may be under way, and then be
   * cached where no Client has it; most logins in memory meanwhile.
   */
  loginAnswerMs: 20_000,
  askedLogins: 20_000,
  /** Age up to which the cached state of companions decides that a new call is refused. */
  drainCacheMs: 1_000,
  /** Time limit of a companion's answer, after another one could not reach it. */
  companionLookMs: 2_000,
  sweepMs: 5_000,
  /** Interval of the comparison of the wall clock with the steady one. */
  clockLookMs: 1_000,
  /** A live call that its companion's heartbeat has not named for so long is closed. */
  legForgottenMs: 15_000,
  /** Attempts to hand a call to a companion: more than fit into the longest DIAL_MAX_AGE_S. */
  dialAttempts: 1_200,
} as const;
