import { defaultSessionDescriptionHandlerFactory, UserAgent } from "sip.js";
import { useIceServers } from "./ice_servers.js";
import { createRegistration } from "./registration.js";

/** Back-off between connection attempts, in seconds; the last one repeats. */
const PAUSES_S = [1, 2, 4, 8, 15, 30];
/** The longest pause during a call: the companion waits at most 8 s for the phone. */
const CALL_PAUSE_S = 2;
const EXPIRES_S = 300;
const REFRESH_AFTER = 0.9;
const REGISTER_TIMEOUT_MS = 10_000;
/** A connection that worked before responds within this time, or is dead. */
const PROBE_TIMEOUT_MS = 4_000;
const UNREGISTER_TIMEOUT_MS = 1_000;

/**
 * The reason of a final refusal; undefined for responses after which a further attempt may succeed.
 */
function refusedBecause(message) {
  const { statusCode, reasonPhrase } = message;
  if ([401, 404, 407].includes(statusCode)) return "Wrong login or password";
  if (statusCode === 503 && /wrong passwords/i.test(reasonPhrase)) {
    return `Too many wrong passwords: wait ${parseInt(message.getHeader("Retry-After"))} s`;
  }
  if (statusCode !== 403) return undefined;
  if (/expired/i.test(reasonPhrase)) return "This password has ended: ask for a new one";
  if (/contacts/i.test(reasonPhrase)) return "This login is in use on too many devices";
  return "This login is switched off";
}

function createAgent({ login, username, password, wsUrl, domain, microphone }, delegate) {
  return new UserAgent({
    uri: UserAgent.makeURI(`sip:${encodeURIComponent(login)}@${domain}`),
    authorizationUsername: username,
    authorizationPassword: password,
    transportOptions: { server: wsUrl, keepAliveInterval: 20, connectionTimeout: 8 },
    sessionDescriptionHandlerFactory: defaultSessionDescriptionHandlerFactory(microphone),
    // No STUN server, unless the response to REGISTER names some.
    sessionDescriptionHandlerFactoryOptions: {
      iceGatheringTimeout: 1_000,
      peerConnectionConfiguration: { iceServers: [] },
    },
    sipExtension100rel: "Supported",
    sipExtensionReplaces: "Supported",
    noAnswerTimeout: 120,
    logBuiltinEnabled: false,
    userAgentString: "Switchboard softphone",
    delegate,
  });
}

/**
 * A Client's registration, by its login or by the user name of a Token: connects, registers, and
 * repeats both after each loss until it is refused or closed. `onState` receives `connecting`,
 * `registered` (`isBack`: it was not registered before), `waiting` (with the `seconds` left) and
 * `refused` (with a `reason`). `onInvite` receives each invitation, `onMessage` each MESSAGE.
 * `isCalling` returns whether calls are to be recovered.
 */
export function openAccount(
  { login, username, password, wsUrl, domain, microphone },
  { onState, onInvite, onMessage, isCalling },
) {
  let [tries, isStarted, isTrying, isClosed, isRegistered] = [0, false, false, false, false];
  let [countdown, refresh] = [];
  const agent = createAgent({ login, username, password, wsUrl, domain, microphone }, {
    onInvite,
    onMessage,
    onDisconnect: (error) => error && lost(),
  });
  const { register, granted, giveUp } = createRegistration(agent);

  /** Registers, by a new connection when the present one does not respond. */
  async function renew() {
    clearTimers();
    if (isTrying || isClosed) return;
    isTrying = true;
    const answer = await request().catch(() => undefined); // No connection counts as no response.
    isTrying = false;
    if (isClosed) return;
    if (answer?.statusCode === 200) return registered(answer);
    const reason = answer && refusedBecause(answer);
    if (reason === undefined) return again();
    onState({ kind: "refused", reason });
    await close();
  }

  /** Sends REGISTER; returns the response, or undefined without one. */
  async function request() {
    if (!isRegistered) onState({ kind: "connecting" });
    if (agent.isConnected()) {
      const answer = await register(EXPIRES_S, PROBE_TIMEOUT_MS);
      if (answer !== undefined || isClosed) return answer;
    }
    if (isRegistered) onState({ kind: "connecting" });
    isRegistered = false;
    await connect();
    return await register(EXPIRES_S, REGISTER_TIMEOUT_MS);
  }

  async function connect() {
    if (isStarted) {
      // Disconnecting a dead connection takes long: do not wait for it.
      if (agent.isConnected()) void agent.transport.disconnect().catch(() => {});
      return await agent.reconnect();
    }
    isStarted = true;
    await agent.start();
  }

  function registered(answer) {
    const isBack = !isRegistered;
    useIceServers(agent, answer);
    tries = 0;
    isRegistered = true;
    refresh = setTimeout(renew, granted(answer, EXPIRES_S) * 1_000 * REFRESH_AFTER);
    onState({ kind: "registered", isBack });
  }

  function lost() {
    giveUp();
    if (!isTrying) again();
  }

  function again() {
    isRegistered = false;
    if (isClosed) return;
    clearTimers();
    const pause = PAUSES_S[Math.min(tries, PAUSES_S.length - 1)];
    let seconds = isCalling() ? Math.min(pause, CALL_PAUSE_S) : pause;
    tries++;
    onState({ kind: "waiting", seconds });
    countdown = setInterval(() => {
      seconds--;
      if (seconds > 0) onState({ kind: "waiting", seconds });
      else void renew();
    }, 1_000);
  }

  function clearTimers() {
    clearInterval(countdown);
    clearTimeout(refresh);
  }

  async function close() {
    if (isClosed) return;
    isClosed = true;
    clearTimers();
    globalThis.removeEventListener("online", renew);
    // Without a response the companion ends the registration when the connection closes.
    if (isRegistered) await register(0, UNREGISTER_TIMEOUT_MS);
    await agent.stop().catch(() => {});
  }

  globalThis.addEventListener("online", renew);
  void renew();
  return { agent, renew, close };
}
