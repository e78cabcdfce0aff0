import "./node_events.js";
import JsSIP from "jssip";
import { playRemote } from "./audio.js";

const mediaConstraints = { audio: true, video: false };

/** A softphone on JsSIP. */
export function openJsSip({ login, password, domain, wsUrl, sessionExpiresS }, emit) {
  let answerMode = "auto";
  /** The calls there are, the newest last. */
  const calls = [];
  const newest = () => calls.at(-1);
  const address = (user) => `sip:${user}@${domain}`;
  if (sessionExpiresS !== undefined) {
    JsSIP.C.SESSION_EXPIRES = JsSIP.C.MIN_SESSION_EXPIRES = sessionExpiresS;
  }
  const agent = new JsSIP.UA({
    sockets: [new JsSIP.WebSocketInterface(wsUrl)],
    uri: address(login),
    password,
    connection_recovery_min_interval: 1,
  });
  agent.on("registered", () => emit("registered"));
  agent.on("unregistered", () => emit("unregistered"));
  agent.on("registrationFailed", ({ cause }) => emit("registrationFailed", cause));
  agent.on("disconnected", () => emit("disconnected"));
  agent.on("newMessage", ({ originator, request }) => {
    if (originator === "remote") emit("text", request.body);
  });
  agent.on("newRTCSession", ({ session, originator }) => {
    calls.push(session);
    const isOver = () => void calls.splice(calls.indexOf(session), 1);
    session.on("ended", isOver);
    session.on("failed", isOver);
    watch(session, emit);
    if (originator === "local") return;
    emit("incoming");
    if (answerMode === "auto") session.answer({ mediaConstraints });
    if (answerMode === "decline") session.terminate();
  });
  const transfer = (call, target, options) => {
    const eventHandlers = {
      requestFailed: ({ cause }) => emit("transferFailed", cause),
      accepted({ status_line }) {
        emit("transferred", status_line.status_code);
        // The transferor leaves, unless it is out of the call already.
        if (!call.isEnded()) call.terminate();
      },
      failed: ({ status_line }) => emit("transferFailed", status_line.status_code),
    };
    call.refer(target, { ...options, eventHandlers });
  };
  return {
    register: () => agent.start(),
    unregister: () => agent.unregister(),
    call: (target) => void agent.call(address(target), { mediaConstraints }),
    setAnswerMode: (mode) => void (answerMode = mode),
    answer: () => newest().answer({ mediaConstraints }),
    decline: () => newest().terminate(),
    hangup: () => newest().terminate(),
    // The library's own events report its request, not the peer's agreement.
    hold: () => void newest().hold({}, () => emit("held")),
    resume: () => void newest().unhold({}, () => emit("resumed")),
    restartIce: () =>
      void newest().renegotiate(
        { rtcOfferConstraints: { iceRestart: true } },
        () => emit("restarted"),
      ),
    message: (target, text) => void agent.sendMessage(address(target), text),
    sendDigit: (digit) => newest().sendDTMF(digit),
    transfer: (target) => transfer(newest(), address(target)),
    transferToNewest: () =>
      transfer(calls[0], newest().remote_identity.uri, { replaces: newest() }),
  };
}

function watch(session, emit) {
  const playTracks = (peer) => peer.addEventListener("track", ({ track }) => playRemote(track));
  if (session.connection) playTracks(session.connection);
  session.on("peerconnection", ({ peerconnection }) => playTracks(peerconnection));
  session.on("progress", ({ originator }) => originator === "remote" && emit("ringing"));
  session.on("confirmed", () => emit("answered"));
  session.on("refer", ({ accept }) => accept(null, { mediaConstraints }));
  session.on("replaces", ({ accept }) => accept());
  session.on("ended", ({ cause }) => emit("ended", cause));
  session.on("failed", ({ cause }) => emit("ended", cause));
}
