import { defaultSessionDescriptionHandlerFactory, Registerer, UserAgent } from "sip.js";

/** Pauses before a new try, in seconds; the last one again and again. */
const PAUSES_S = [1, 2, 4, 8, 15, 30];
const EXPIRES_S = 300;
const REGISTER_TIMEOUT_MS = 10_000;
/** Why an answer is one that no further try will change; undefined for others. */
function refusedBecause(message) {
  const { statusCode, reasonPhrase } = message;
  const waitS = message.getHeader("Retry-After");
  if ([401, 404, 407].includes(statusCode)) return "Wrong login or password";
  if (statusCode !== 403) return undefined;
  if (waitS) return `Too many wrong passwords: wait ${parseInt(waitS)} s`;
  if (/contacts/i.test(reasonPhrase)) return "This login is in use on too many devices";
  return "This login is switched off";
}

/**
 * A Client's registration: connects, registers, and does both again whenever it is lost, until it is
 * refused or closed. `onState` is told `connecting`, `registered`, `waiting` (with the `seconds` left)
 * and `refused` (with a `reason`); `onInvite` gets each invitation.
 */
export function openAccount({ login, password, wsUrl, domain, microphone }, { onState, onInvite }) {
  let [tries, isStarted, isTrying, isClosed] = [0, false, false, false];
  let countdown;
  const agent = new UserAgent({
    uri: UserAgent.makeURI(`sip:${encodeURIComponent(login)}@${domain}`),
    authorizationUsername: login,
    authorizationPassword: password,
    transportOptions: { server: wsUrl, keepAliveInterval: 20, connectionTimeout: 8 },
    sessionDescriptionHandlerFactory: defaultSessionDescriptionHandlerFactory(microphone),
    // The companion has an address of its own: nobody outside is asked for ours.
    sessionDescriptionHandlerFactoryOptions: {
      iceGatheringTimeout: 1_000,
      peerConnectionConfiguration: { iceServers: [] },
    },
    sipExtension100rel: "Supported",
    sipExtensionReplaces: "Supported",
    noAnswerTimeout: 120,
    logBuiltinEnabled: false,
    userAgentString: "Switchboard softphone",
    delegate: { onInvite, onDisconnect: (error) => error && void again() },
  });
  const registerer = new Registerer(agent, { expires: EXPIRES_S, regId: 1 });
  registerer.stateChange.addListener((state) => {
    // A refresh that failed; what failed before was registered never.
    if (state === "Unregistered" && !isTrying && !isClosed) void again();
  });

  async function attempt() {
    if (isTrying || isClosed) return;
    isTrying = true;
    onState({ kind: "connecting" });
    let answer;
    try {
      await connect();
      answer = await register();
    } catch {
      // No connection: like no answer.
    }
    isTrying = false;
    if (isClosed) return;
    if (answer?.statusCode === 200) {
      tries = 0;
      return onState({ kind: "registered" });
    }
    const reason = answer && refusedBecause(answer);
    if (reason === undefined) return again();
    onState({ kind: "refused", reason });
    await close();
  }

  async function connect() {
    if (isStarted) return agent.isConnected() ? undefined : await agent.reconnect();
    isStarted = true;
    await agent.start();
  }

  /** The answer; undefined when none came. */
  function register() {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, REGISTER_TIMEOUT_MS);
      const answered = ({ message }) => {
        clearTimeout(timer);
        resolve(message);
      };
      registerer.register({ requestDelegate: { onAccept: answered, onReject: answered } })
        .catch(() => resolve());
    });
  }

  function again() {
    if (isClosed || isTrying || countdown !== undefined) return;
    let seconds = PAUSES_S[Math.min(tries, PAUSES_S.length - 1)];
    tries++;
    onState({ kind: "waiting", seconds });
    countdown = setInterval(() => {
      seconds--;
      if (seconds > 0) onState({ kind: "waiting", seconds });
      else retry();
    }, 1_000);
  }

  function retry() {
    clearInterval(countdown);
    countdown = undefined;
    void attempt();
  }

  async function close() {
    if (isClosed) return;
    isClosed = true;
    clearInterval(countdown);
    globalThis.removeEventListener("online", retry);
    // What is not said now is noticed by the companion when the connection closes.
    if (registerer.state === "Registered") await registerer.unregister().catch(() => {});
    await agent.stop().catch(() => {});
  }

  globalThis.addEventListener("online", retry);
  void attempt();
  return { agent, close };
}
