import { Web } from "sip.js";

/** A softphone on sip.js's `SimpleUser`. */
export function openSipJs({ login, password, domain, wsUrl }, emit) {
  let answerMode = "auto";
  const user = new Web.SimpleUser(wsUrl, {
    aor: `sip:${login}@${domain}`,
    media: {
      constraints: { audio: true, video: false },
      remote: { audio: document.getElementById("remote") },
    },
    userAgentOptions: {
      authorizationUsername: login,
      authorizationPassword: password,
      logBuiltinEnabled: false,
      logConnector: (level, category, _label, content) =>
        level === "error" && emit("error", `${category}: ${content}`),
    },
    delegate: {
      onRegistered: () => emit("registered"),
      onUnregistered: () => emit("unregistered"),
      onServerDisconnect: () => emit("disconnected"),
      onCallReceived() {
        emit("incoming");
        if (answerMode === "auto") void user.answer();
        if (answerMode === "decline") void user.decline();
      },
      onCallAnswered: () => emit("answered"),
      onCallHangup: () => emit("ended"),
      onCallHold: (held) => emit(held ? "held" : "resumed"),
    },
  });
  return {
    async register() {
      await user.connect();
      await user.register();
    },
    unregister: () => user.unregister(),
    call: (target) => user.call(`sip:${target}@${domain}`),
    setAnswerMode: (mode) => void (answerMode = mode),
    answer: () => user.answer(),
    decline: () => user.decline(),
    hangup: () => user.hangup(),
    hold: () => user.hold(),
    resume: () => user.unhold(),
  };
}
