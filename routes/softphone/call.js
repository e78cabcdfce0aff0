import { constraints, pressDigit, reinvite, setAudible, watchMedia } from "./call_media.js";
import { ensureMicrophone } from "./microphone.js";
import { createRecovery } from "./recovery.js";
import { explained, microphoneProblem, refusal, shownAs } from "./words.js";

let made = 0;

/**
 * Details of an incoming call from the application: the X- headers of its INVITE, as pairs of name and
 * value. Headers of the service itself are left out.
 */
const detailsOf = ({ request: { headers } }) =>
  Object.entries(headers).filter(([name]) => /^X-(?!Switchboard)/i.test(name))
    .map(([name, [first]]) => [name.slice(2), first.raw]);

/** A new call. */
function begin(session, direction, nameOf) {
  const identity = direction === "incoming" ? session.remoteIdentity : undefined;
  const uri = identity?.uri ?? session.request.ruri ?? session.remoteIdentity.uri;
  const user = decodeURIComponent(uri.user ?? uri.host);
  return {
    id: ++made,
    session,
    direction,
    user,
    name: identity?.displayName || nameOf(user) || shownAs(user),
    details: direction === "incoming" ? detailsOf(session) : [],
    state: direction === "incoming" ? "incoming" : "calling",
    media: "none",
    isHeld: false,
    isHeldByPeer: false,
    isMuted: false,
    /** A command is under way. */
    isBusy: false,
    isReconnecting: false,
    /** Times of the answer and of the end, in ms. */
    startedAt: undefined,
    endedAt: undefined,
    /** The reason of its end, or a problem. */
    notice: "",
    isMissed: false,
    hasEarlyMedia: false,
    /** The sent and the received stream, for the level meters. */
    local: undefined,
    remote: undefined,
    element: new Audio(),
  };
}

/**
 * One call. Its `state` is `incoming`, `calling`, `ringing`, `talking` or `ended`; `media` is
 * `none`, `connecting`, `connected`, `interrupted` or `lost`. `onChange` is called after each
 * change. `onSuccessor` receives the call of a transfer, which replaces this one. Late commands do
 * nothing. `onMessage` receives each MESSAGE in the call. `nameOf` returns the name of a number in
 * the history; `renew` checks the phone's registration.
 */
export function createCall(
  session,
  direction,
  { nameOf, onChange, onMessage, onSuccessor, renew },
) {
  const call = begin(session, direction, nameOf);
  Object.assign(call, {
    recovery: createRecovery(call, renew),
    change(values) {
      if (call.state === "ended") return;
      Object.assign(call, values);
      onChange(call);
    },
    place: () => place(call),
    answer: () => answer(call),
    hangup: () => hangup(call),
    mute(isMuted) {
      call.change({ isMuted });
      setAudible(call);
    },
    hold: (isHeld) => hold(call, isHeld),
    registered: (isBack) => registered(call, isBack),
    press: (digit) => pressDigit(call, digit),
    transfer: (to, name) => transfer(call, to, name),
  });
  session.stateChange.addListener((state) => {
    if (state === "Established") call.change({ state: "talking", startedAt: Date.now() });
    // The library delivers the reason after the state.
    if (state === "Terminated") queueMicrotask(() => end(call));
  });
  session.delegate = {
    onBye(bye) {
      const how = call.isReconnecting ? "The call ended while it was interrupted" : undefined;
      call.notice ||= how ?? `${call.name} hung up`;
      void bye.accept();
    },
    onCancel({ request }) {
      if (/cause=200/.test(request.getHeader("Reason") ?? "")) call.notice = "Answered elsewhere";
    },
    // A hold offers sendonly or inactive (RFC 3264 §8.4); a resume is a further offer.
    onInvite({ body }) {
      if (body !== "") call.change({ isHeldByPeer: /^a=(sendonly|inactive)\s*$/m.test(body) });
    },
    onMessage,
    onSessionDescriptionHandler: (handler) => watchMedia(call, handler),
    async onRefer(referral) {
      await referral.accept();
      onSuccessor(referral.makeInviter());
    },
  };
  return call;
}

function end(call) {
  const { direction, name, startedAt } = call;
  call.element.srcObject = null;
  call.recovery.stop();
  const gone = startedAt !== undefined
    ? "is gone"
    : direction === "incoming"
    ? "hung up before you answered"
    : "was not reached";
  call.change({
    isMissed: startedAt === undefined && direction === "incoming" && call.notice === "",
    notice: call.notice || `${name} ${gone}`,
    endedAt: Date.now(),
    state: "ended",
  });
}

/** Opens the microphone. Without one it returns false, and the notice has the reason. */
async function hasMicrophone(call) {
  try {
    await ensureMicrophone();
    return true;
  } catch (error) {
    call.change({ notice: microphoneProblem(error) });
    return false;
  }
}

/** Sends the INVITE of an outgoing call, unless the call has ended meanwhile. */
async function place(call) {
  if (!await hasMicrophone(call)) return end(call);
  if (call.state === "ended") return;
  await call.session.invite({
    sessionDescriptionHandlerOptions: { constraints },
    requestDelegate: {
      onProgress({ message: { statusCode, body } }) {
        if (statusCode > 100) call.change({ state: "ringing", hasEarlyMedia: Boolean(body) });
      },
      onReject({ message }) {
        const { text, code } = explained(message.getHeader("Warning"), call.name) ?? {};
        call.code = code;
        call.notice ||= text ?? refusal(message.statusCode, call.name);
      },
    },
  }).catch(() => {
    call.notice ||= "The connection is lost: the call was not placed";
    end(call);
  });
}

async function answer(call) {
  if (call.state !== "incoming" || call.isBusy) return;
  call.change({ isBusy: true, notice: "" });
  if (await hasMicrophone(call)) {
    await call.session.accept({ sessionDescriptionHandlerOptions: { constraints } }).catch(() =>
      call.change({ notice: "The call could not be answered" })
    );
  }
  call.change({ isBusy: false });
}

/** The phone is registered: answered calls and incoming calls go on. */
function registered(call, isBack) {
  const { session, state, direction } = call;
  if (state === "talking") return call.recovery.registered(isBack);
  if (!isBack) return;
  // The response to its INVITE would use the lost connection.
  if (direction === "outgoing") {
    call.notice ||= `The connection was lost before ${call.name} answered`;
    void Promise.resolve().then(() => session.cancel()).catch(() => {});
    end(call);
  } // A response shows the companion the new connection.
  else void session.progress().catch(() => {});
}

/** Ends the call by BYE, CANCEL or 603, depending on its state. */
async function hangup(call) {
  const { session, direction, startedAt } = call;
  const action = direction === "incoming" ? "Declined" : "Cancelled";
  if (call.media !== "lost") call.notice = startedAt === undefined ? action : "You hung up";
  const leave = () => {
    if (session.state === "Established") return session.bye();
    if (direction === "incoming") return session.reject({ statusCode: 603 });
    return session.cancel();
  };
  await Promise.resolve().then(leave).catch(() => {}); // The call has ended already.
  if (session.state === "Established" || session.state === "Initial") end(call);
}

/** Holds or resumes. Resolves after the peer's response; `notice` has a refusal. */
async function hold(call, isHeld) {
  if (call.state !== "talking" || call.isHeld === isHeld || call.isBusy) return;
  call.change({ isBusy: true, notice: "" });
  if (await reinvite(call, { isHeld }) === 200) call.change({ isHeld, isBusy: false });
  else {
    call.change({ isBusy: false, notice: isHeld ? "Hold was refused" : "It could not be resumed" });
  }
  setAudible(call);
}

/** Transfers the peer to a SIP URI, or to the peer of another call (RFC 3891); then hangs up. */
async function transfer(call, to, name) {
  const { session } = call;
  call.change({ isBusy: true, notice: `Transferring to ${name}…` });
  const failed = (why) =>
    call.change({ isBusy: false, notice: `${why}; you are still in the call` });
  await session.refer(to, {
    requestDelegate: { onReject: () => failed("The transfer was refused") },
    onNotify(notification) {
      void notification.accept();
      const status = Number(/^SIP\/2\.0 (\d{3})/.exec(notification.request.body)?.[1]);
      if (status >= 300) failed(refusal(status, name));
      if (status < 200 || status >= 300 || call.state === "ended") return;
      call.change({ notice: `Transferred to ${name}` });
      void session.bye().catch(() => {}); // The other side may have left first.
    },
  }).catch(() => failed("The transfer could not be asked for"));
}
