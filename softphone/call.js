import { ensureMicrophone } from "./microphone.js";
import { microphoneProblem, refusal, shownAs } from "./words.js";

const constraints = { audio: true, video: false };
const DIGIT_MS = 100;
const GAP_MS = 60;
let made = 0;

/**
 * One call. Its `state` is `incoming`, `calling`, `ringing`, `talking` or `ended`; `media` is
 * `none`, `connecting`, `connected`, `interrupted` or `lost`. `onChange` is called whenever anything
 * of it changed, `onSuccessor` with the call that the peer wants in its place. Commands that come too
 * late do nothing. `nameOf` knows names of some whom it may be with.
 */
export function createCall(session, direction, { nameOf, onChange, onSuccessor }) {
  const identity = direction === "incoming" ? session.remoteIdentity : undefined;
  const uri = identity?.uri ?? session.request.ruri ?? session.remoteIdentity.uri;
  const user = decodeURIComponent(uri.user ?? uri.host);
  const element = new Audio();
  const call = {
    id: ++made,
    session,
    direction,
    user,
    name: identity?.displayName || nameOf(user) || shownAs(user),
    state: direction === "incoming" ? "incoming" : "calling",
    media: "none",
    isHeld: false,
    isMuted: false,
    isBusy: false,
    /** In ms; when it was answered and when it was over. */
    startedAt: undefined,
    endedAt: undefined,
    /** Why it ended, or what went wrong. */
    notice: "",
    isMissed: false,
    hasEarlyMedia: false,
    local: undefined,
    remote: undefined,
  };
  const change = (values) => {
    if (call.state === "ended") return;
    Object.assign(call, values);
    onChange(call);
  };
  const end = (notice) => {
    element.srcObject = null;
    if (call.startedAt === undefined && direction === "incoming" && !call.notice) {
      call.isMissed = true;
    }
    change({ state: "ended", endedAt: Date.now(), notice: call.notice || notice });
  };

  const gone = () => {
    if (call.startedAt !== undefined) return "is gone";
    return direction === "incoming" ? "hung up before you answered" : "was not reached";
  };
  session.stateChange.addListener((state) => {
    if (state === "Established") change({ state: "talking", startedAt: Date.now() });
    // The reason is told after the state.
    if (state === "Terminated") queueMicrotask(() => end(`${call.name} ${gone()}`));
  });
  session.delegate = {
    onBye(bye) {
      call.notice ||= `${call.name} hung up`;
      void bye.accept();
    },
    onCancel({ request }) {
      if (/cause=200/.test(request.getHeader("Reason") ?? "")) call.notice = "Answered elsewhere";
    },
    onSessionDescriptionHandler: (handler) => watchMedia(handler),
    async onRefer(referral) {
      await referral.accept();
      onSuccessor(referral.makeInviter());
    },
  };

  function watchMedia({ peerConnection: peer, remoteMediaStream }) {
    change({ media: "connecting" });
    peer.addEventListener("track", () => {
      element.srcObject = remoteMediaStream;
      void element.play().catch(() => {}); // Before anybody touched the page; then it is touched.
      change({ remote: remoteMediaStream });
    });
    peer.addEventListener("connectionstatechange", () => {
      const state = peer.connectionState;
      if (state === "connected") change({ media: "connected", local: microphoneOf(peer) });
      if (state === "disconnected") change({ media: "interrupted" });
      if (state === "failed") {
        change({ media: "lost", notice: "The connection for audio was lost" });
        void call.hangup();
      }
    });
  }

  const peer = () => session.sessionDescriptionHandler?.peerConnection;
  const audible = () => {
    const sends = !call.isHeld && !call.isMuted;
    peer()?.getSenders().forEach(({ track }) => track && (track.enabled = sends));
    peer()?.getReceivers().forEach(({ track }) => track && (track.enabled = !call.isHeld));
  };

  /** Says why there is no microphone; whether there is one. */
  async function hasMicrophone() {
    try {
      await ensureMicrophone();
      return true;
    } catch (error) {
      change({ notice: microphoneProblem(error) });
      return false;
    }
  }

  return Object.assign(call, {
    /** Sends the INVITE of a call that we make. */
    async place() {
      if (!await hasMicrophone()) return end();
      await session.invite({
        sessionDescriptionHandlerOptions: { constraints },
        requestDelegate: {
          onProgress({ message }) {
            const { statusCode, body } = message;
            if (statusCode > 100) change({ state: "ringing", hasEarlyMedia: Boolean(body) });
          },
          onReject: ({ message }) => call.notice ||= refusal(message.statusCode, call.name),
        },
      }).catch(() => end("The connection is lost: the call was not placed"));
    },
    async answer() {
      if (call.state !== "incoming" || call.isBusy) return;
      change({ isBusy: true, notice: "" });
      if (await hasMicrophone()) {
        await session.accept({ sessionDescriptionHandlerOptions: { constraints } }).catch(() => {
          change({ notice: "The call could not be answered" });
        });
      }
      change({ isBusy: false });
    },
    /** Ends it in whatever state it is: BYE, CANCEL or 603. */
    async hangup() {
      const wasAnswered = call.startedAt !== undefined;
      call.notice ||= wasAnswered
        ? "You hung up"
        : direction === "incoming"
        ? "Declined"
        : "Cancelled";
      const leave = () => {
        if (session.state === "Established") return session.bye();
        if (direction === "incoming") return session.reject({ statusCode: 603 });
        return session.cancel();
      };
      await Promise.resolve().then(leave).catch(() => {}); // It is over already.
      if (session.state === "Established" || session.state === "Initial") end();
    },
    mute(isMuted) {
      change({ isMuted });
      audible();
    },
    /** Resolves when the peer agreed, or did not: then `notice` says so. */
    async hold(isHeld) {
      if (call.state !== "talking" || call.isHeld === isHeld || call.isBusy) return;
      change({ isBusy: true, notice: "" });
      session.sessionDescriptionHandlerOptionsReInvite = { hold: isHeld, constraints };
      const agreed = await new Promise((resolve) =>
        session.invite({
          requestDelegate: { onAccept: () => resolve(true), onReject: () => resolve(false) },
        }).catch(() => resolve(false))
      );
      if (agreed) change({ isHeld, isBusy: false });
      else {
        session.sessionDescriptionHandlerOptionsReInvite = { hold: call.isHeld, constraints };
        change({ isBusy: false, notice: isHeld ? "Hold was refused" : "It could not be resumed" });
      }
      audible();
    },
    /** Sends a digit as a telephone event (RFC 4733), after those that are still under way. */
    press(digit) {
      const sender = peer()?.getSenders().find(({ track }) => track?.kind === "audio")?.dtmf;
      if (!sender?.canInsertDTMF) return change({ notice: "The other side takes no digits" });
      sender.insertDTMF(sender.toneBuffer + digit, DIGIT_MS, GAP_MS);
    },
    /** Hands the peer to a SIP URI, or to the peer of another call (RFC 3891); then we leave. */
    async transfer(to, name) {
      change({ isBusy: true, notice: `Transferring to ${name}…` });
      const failed = (why) =>
        change({ isBusy: false, notice: `${why}; you are still in the call` });
      await session.refer(to, {
        requestDelegate: { onReject: () => failed("The transfer was refused") },
        onNotify(notification) {
          void notification.accept();
          const status = Number(/^SIP\/2\.0 (\d{3})/.exec(notification.request.body)?.[1]);
          if (status >= 300) failed(refusal(status, name));
          if (status < 200 || status >= 300 || call.state === "ended") return;
          change({ notice: `Transferred to ${name}` });
          void session.bye().catch(() => {}); // The other side may have left first.
        },
      }).catch(() => failed("The transfer could not be asked for"));
    },
  });
}

/** What we send, to be measured. */
const microphoneOf = (peer) => {
  const track = peer.getSenders().find((sender) => sender.track?.kind === "audio")?.track;
  return track && new MediaStream([track]);
};
