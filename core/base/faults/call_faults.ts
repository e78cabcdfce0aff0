import type { FaultEntry } from "./fault_entry.ts";

/** Calls, their routes, media, conferences and queues. */
export const callFaults = {
  callerIdNotAllowed: {
    kind: "invalid",
    code: 21210,
    message: "Cannot use this caller ID",
    advice:
      "Send as From or callerId a number, an OutgoingCallerId or a Client (client:LOGIN) of the " +
      "account.",
  },
  callerIdNotValidated: {
    kind: "denied",
    code: 21213,
    message: "Cannot add a caller ID that was not validated",
    advice:
      "POST OutgoingCallerIds/ValidationRequests with PhoneNumber: the number is called, and " +
      "added when its owner types the ValidationCode of the response. The root account adds " +
      "numbers without a call. The operator decides by STRICT_CALLER_ID.",
  },
  destinationNotAllowed: {
    kind: "invalid",
    code: 21215,
    message: "Cannot call this number: its destination is not allowed",
    advice: "Call numbers that begin with one of DESTINATION_PREFIXES, which the operator sets.",
  },
  concurrentCallsLimit: {
    kind: "throttled",
    code: 20430,
    message: "Cannot place the call: too many calls at once",
    advice: "Wait until a call has ended. The text names the limit, and who can raise it: limits " +
      "are set for each account by the account above, below Accounts/{Sid}/Limits.",
  },
  callsPerSecondLimit: {
    kind: "throttled",
    code: 20431,
    message: "Cannot place the call: too many calls a second",
    advice: "Place calls more slowly. The text names the limit, and who can raise it: limits are " +
      "set for each account by the account above, below Accounts/{Sid}/Limits.",
  },
  spendPerDayLimit: {
    kind: "throttled",
    code: 20433,
    message: "Cannot spend more money today",
    advice: "Wait until midnight UTC. The text names the limit, and who can raise it: limits are " +
      "set for each account by the account above, below Accounts/{Sid}/Limits.",
  },
  destinationLimit: {
    kind: "denied",
    code: 20434,
    message: "Cannot call or text this number: its prefix is not allowed",
    advice:
      "Use a number that begins with one of DestinationPrefixes of the account and of those " +
      "above. The account above sets them below Accounts/{Sid}/Limits.",
  },
  premiumNotAllowed: {
    kind: "denied",
    code: 20435,
    message: "Cannot call or text this number: it is a premium-rate or satellite number",
    advice: "Such numbers are off unless their prefix is allowed: by PREMIUM_PREFIXES, which the " +
      "operator sets, and by PremiumPrefixes of the accounts that have limits.",
  },
  limitNear: {
    kind: "throttled",
    code: 20436,
    message: "80 % of a limit of the day is used",
    advice:
      "Look for a key or a password that others use. If the use is wanted, ask for a higher " +
      "limit: the account above sets it below Accounts/{Sid}/Limits.",
  },
  callEnded: {
    kind: "invalid",
    code: 21220,
    message: "Cannot modify a call that has ended",
    advice: "Modify only calls whose Status is queued, ringing or in-progress.",
  },
  notModifiable: {
    kind: "invalid",
    code: 21221,
    message: "Cannot modify the call in its state",
    advice: "Url, Mute and MoveConnectedCallLeg need a call whose Status is in-progress. " +
      "MoveConnectedCallLeg also needs Url.",
  },
  noRoute: {
    kind: "invalid",
    code: 13224,
    message: "Cannot route the call: the address has no destination",
    advice: "A Client must exist and be enabled. A number must have a VoiceUrl, or a Gateway or " +
      "OUTBOUND_PROXY must route it.",
  },
  notRegistered: {
    kind: "invalid",
    code: 13226,
    message: "Cannot reach the Client: none of its phones is registered",
    advice: "Check that its softphone runs, reaches the SIP address and has the right password.",
  },
  trunkUnreachable: {
    kind: "unavailable",
    code: 13227,
    message: "Cannot place the call: no Gateway accepted it",
    advice:
      "The text has the SIP status of the last Gateway that was tried, and its name. Check Proxy, " +
      "UserName, Password and Status of the account's Gateways.",
  },
  draining: {
    kind: "unavailable",
    code: 20505,
    message: "Cannot take new calls: the service is about to restart",
    advice: "Send the request again after the seconds of Retry-After.",
  },
  callRefused: {
    kind: "invalid",
    code: 13228,
    message: "Cannot connect the call: the called side refused it",
    advice:
      "The text has the SIP status, the words of the phone or carrier, and the Gateway. The page of " +
      "the error says what to do about that status, as the call at the console does.",
  },
  conferenceEnded: {
    kind: "invalid",
    code: 21222,
    message: "Cannot modify a conference that has ended",
    advice: "Modify only conferences whose Status is not completed.",
  },
  queueNotEmpty: {
    kind: "invalid",
    code: 21223,
    message: "Cannot delete a queue in which calls wait",
    advice: "Take the calls out of the queue, or wait until they have left it.",
  },
  conferenceUnreached: {
    kind: "unavailable",
    code: 13232,
    message: "Cannot join the conference",
    advice: "The operator checks that the companion of the conference responds at its " +
      "SIP_PEER_URI.",
  },
  queueUnreached: {
    kind: "unavailable",
    code: 13233,
    message: "Cannot take a call from the queue",
    advice: "The operator checks that the companion of the waiting call responds at its " +
      "SIP_PEER_URI.",
  },
  mediaLost: {
    kind: "unavailable",
    code: 13231,
    message: "Cannot continue the call: its audio was lost",
    advice: "Allow UDP between the network of the phone and the companion, in both directions. " +
      "RTP_TIMEOUT_S bounds the silence of a phone that answers by SIP.",
  },
  noCommonCodec: {
    kind: "invalid",
    code: 13236,
    message: "Cannot connect the call: the two sides have no media in common",
    advice:
      "Have the phone or trunk offer audio as PCMU or PCMA (G.711), or Opus, at an address that " +
      "this server sends to; one in a browser, with DTLS-SRTP and ICE.",
  },
  unknownAudioSource: {
    kind: "invalid",
    code: 13237,
    message: "Dropped audio from an unknown source address",
    advice: "Audio is accepted from the address in the SDP, the signalling address of the phone, " +
      "and the addresses of the trunk. If the source is the phone or trunk itself, have its " +
      "SDP name the address, or let the operator add it to SIP_TRUSTED_SOURCES. Any other " +
      "source is an attack, or audio of an earlier call.",
  },
  companionLost: {
    kind: "unavailable",
    code: 13235,
    message: "Cannot continue the call: the SIP companion lost it",
    advice: "Place the call again. The log of the companion holds the reason.",
  },
  exhausted: {
    kind: "unavailable",
    code: 13238,
    message: "Cannot connect the call: a resource of the machine is exhausted",
    advice:
      "The text says what is used up: RTP_PORTS, descriptors or sockets of the companion, or " +
      "the account's share of RTP_PORTS: then wait until some of its calls have ended. " +
      "The operator widens RTP_PORTS, raises the descriptor limit, or adds a companion. Place the " +
      "call again after the seconds of Retry-After.",
  },
  companionFailed: {
    kind: "internal",
    code: 13239,
    message: "Cannot connect the call: the SIP companion failed",
    advice: "The called side was not called. The log of the companion has the reason; report it.",
  },
  notReached: {
    kind: "unavailable",
    code: 13243,
    message: "Cannot connect the call: no response came from the called side",
    advice: "Check that the address resolves and that its server answers SIP from this machine.",
  },
  dialTooLate: {
    kind: "unavailable",
    code: 13244,
    message: "Cannot place the call in time",
    advice: "Place the call again. No companion took it within DIAL_MAX_AGE_S, and a phone that " +
      "rings late would surprise its owner. The operator checks that a companion runs, is reached " +
      "at its BRIDGE_URL, and that the store can write.",
  },
  notDialled: {
    kind: "unavailable",
    code: 13225,
    message: "Cannot place the call: the SIP companion is unreachable",
    advice: "The operator checks that the companion runs and that BRIDGE_URL is its address.",
  },
} as const satisfies Record<string, FaultEntry>;
