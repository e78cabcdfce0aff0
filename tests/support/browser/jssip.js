import "./node_events.js";
import JsSIP from "jssip";
import { playRemote } from "./audio.js";

const mediaConstraints = { audio: true, video: false };

/** A softphone on JsSIP. */
export function openJsSip({ login, password, domain, wsUrl }, emit) {
  let answerMode = "auto";
  let session;
  const agent = new JsSIP.UA({
    sockets: [new JsSIP.WebSocketInterface(wsUrl)],
    uri: `sip:${login}@${domain}`,
    password,
  });
  agent.on("registered", () => emit("registered"));
  agent.on("unregistered", () => emit("unregistered"));
  agent.on("registrationFailed", ({ cause }) => emit("registrationFailed", cause));
  agent.on("disconnected", () => emit("disconnected"));
  agent.on("newRTCSession", (event) => {
    session = event.session;
    watch(session, emit);
    if (event.originator === "local") return;
    emit("incoming");
    if (answerMode === "auto") session.answer({ mediaConstraints });
    if (answerMode === "decline") session.terminate();
  });
  return {
    register: () => agent.start(),
    unregister: () => agent.unregister(),
    call: (target) => void agent.call(`sip:${target}@${domain}`, { mediaConstraints }),
    setAnswerMode: (mode) => void (answerMode = mode),
    answer: () => session.answer({ mediaConstraints }),
    decline: () => session.terminate(),
    hangup: () => session.terminate(),
    // The library's own events tell that it asked, not that the peer agreed.
    hold: () => void session.hold({}, () => emit("held")),
    resume: () => void session.unhold({}, () => emit("resumed")),
  };
}

function watch(session, emit) {
  const playTracks = (peer) => peer.addEventListener("track", ({ track }) => playRemote(track));
  if (session.connection) playTracks(session.connection);
  session.on("peerconnection", ({ peerconnection }) => playTracks(peerconnection));
  session.on("progress", ({ originator }) => originator === "remote" && emit("ringing"));
  session.on("confirmed", () => emit("answered"));
  session.on("ended", ({ cause }) => emit("ended", cause));
  session.on("failed", ({ cause }) => emit("ended", cause));
}
