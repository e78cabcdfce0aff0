import { constraints, pressDigit, reinvite, setAudible, watchMedia } from "./call_media.js";
import { ensureMicrophone } from "./microphone.js";
import { createRecovery } from "./recovery.js";
import { microphoneProblem, refusal, shownAs } from "./words.js";

let made = 0;

/** What is known of a call before anything happens. */
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
    state: direction === "incoming" ? "incoming" : "calling",
    media: "none",
    isHeld: false,
    isHeldByPeer: false,
    isMuted: false,
    /** A command is under way. */
    isBusy: false,
    isReconnecting: false,
    /** In ms; when it was answered and when it was over. */
    startedAt: undefined,
    endedAt: undefined,
    /** Why it ended, or what went wrong. */
    notice: "",
    isMissed: false,
    hasEarlyMedia: false,
    /** What is sent and what comes in, to be measured. */
    local: undefined,
    remote: undefined,
    element: new Audio(),
  };
}

/**
 * One call. Its `state` is `incoming`, `calling`, `ringing`, `talking` or `ended`; `media` is
 * `none`, `connecting`, `connected`, `interrupted` or `lost`. `onChange` is called whenever
 * anything of it changed, `onSuccessor` with the call that the peer wants in its place. Commands
 * that come too late do nothing. `nameOf` knows names of some whom it may be with; `renew` looks
 * after our registration.
 */
export function createCall(session, direction, { nameOf, onChange, onSuccessor, renew }) {
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
    // The reason is told after the state.
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
    // Who holds offers to send alone, or nothing (RFC 3264 §8.4); who resumes says so by an offer too.
    onInvite({ body }) {
      if (body !== "") call.change({ isHeldByPeer: /^a=(sendonly|inactive)\s*$/m.test(body) });
    },
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

/** Says why there is no microphone; whether there is one. */
async function hasMicrophone(call) {
  try {
    await ensureMicrophone();
    return true;
  } catch (error) {
    call.change({ notice: microphoneProblem(error) });
    return false;
  }
}

/** Sends the INVITE of a call that we make, unless it was given up meanwhile. */
async function place(call) {
  if (!await hasMicrophone(call)) return end(call);
  if (call.state === "ended") return;
  await call.session.invite({
    sessionDescriptionHandlerOptions: { constraints },
    requestDelegate: {
      onProgress({ message: { statusCode, body } }) {
        if (statusCode > 100) call.change({ state: "ringing", hasEarlyMedia: Boolean(body) });
      },
      onReject: ({ message }) => call.notice ||= refusal(message.statusCode, call.name),
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

/** We are registered: a call that was answered goes on, as does one that we are to answer. */
function registered(call, isBack) {
  const { session, state, direction } = call;
  if (state === "talking") return call.recovery.registered(isBack);
  if (!isBack) return;
  // What answers it comes by the connection that is gone.
  if (direction === "outgoing") {
    call.notice ||= `The connection was lost before ${call.name} answered`;
    void Promise.resolve().then(() => session.cancel()).catch(() => {});
    end(call);
  } // The companion learns by which connection we are reached now.
  else void session.progress().catch(() => {});
}

/** Ends it in whatever state it is: BYE, CANCEL or 603. */
async function hangup(call) {
  const { session, direction, startedAt } = call;
  const deed = direction === "incoming" ? "Declined" : "Cancelled";
  if (call.media !== "lost") call.notice = startedAt === undefined ? deed : "You hung up";
  const leave = () => {
    if (session.state === "Established") return session.bye();
    if (direction === "incoming") return session.reject({ statusCode: 603 });
    return session.cancel();
  };
  await Promise.resolve().then(leave).catch(() => {}); // It is over already.
  if (session.state === "Established" || session.state === "Initial") end(call);
}

/** Resolves when the peer agreed, or did not: then `notice` says so. */
async function hold(call, isHeld) {
  if (call.state !== "talking" || call.isHeld === isHeld || call.isBusy) return;
  call.change({ isBusy: true, notice: "" });
  if (await reinvite(call, { isHeld }) === 200) call.change({ isHeld, isBusy: false });
  else {
    call.change({ isBusy: false, notice: isHeld ? "Hold was refused" : "It could not be resumed" });
  }
  setAudible(call);
}

/** Hands the peer to a SIP URI, or to the peer of another call (RFC 3891); then we leave. */
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
