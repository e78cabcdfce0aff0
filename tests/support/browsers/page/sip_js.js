import { UserAgent, Web } from "sip.js";

/** A softphone on sip.js's `SessionManager`. */
export function openSipJs({ login, password, domain, wsUrl }, emit) {
  let answerMode = "auto";
  /** The calls there are, the newest last. */
  const calls = [];
  const newest = () => calls.at(-1);
  const address = (user) => `sip:${user}@${domain}`;
  const manager = new Web.SessionManager(wsUrl, {
    aor: address(login),
    media: {
      constraints: { audio: true, video: false },
      // Each call its own: the library silences the element of a call that ends.
      remote: () => ({ audio: new Audio() }),
    },
    registererOptions: { regId: 1 },
    userAgentOptions: {
      authorizationUsername: login,
      authorizationPassword: password,
      sipExtension100rel: "Supported",
      sipExtensionReplaces: "Supported",
      logBuiltinEnabled: false,
      logConnector: (level, category, _label, content) =>
        level === "error" && manager.isConnected() && emit("error", `${category}: ${content}`),
    },
    delegate: {
      onRegistered: () => emit("registered"),
      onUnregistered: () => emit("unregistered"),
      onServerDisconnect: () => emit("disconnected"),
      onCallCreated: (call) => void calls.push(call),
      onCallReceived(call) {
        emit("incoming");
        if (answerMode === "auto") void manager.answer(call);
        if (answerMode === "decline") void manager.decline(call);
      },
      onCallAnswered: () => emit("answered"),
      onCallHangup(call) {
        calls.splice(calls.indexOf(call), 1);
        emit("ended");
      },
      onMessageReceived: ({ request }) => emit("text", request.body),
      onCallHold: (_call, held) => emit(held ? "held" : "resumed"),
    },
  });
  const transfer = (call, target) =>
    call.refer(target, {
      onNotify(notification) {
        void notification.accept();
        const status = Number(/^SIP\/2\.0 (\d{3})/.exec(notification.request.body)?.[1]);
        if (status >= 200) emit(status < 300 ? "transferred" : "transferFailed", status);
        // The transferor leaves, unless it is out of the call already.
        if (status >= 200 && status < 300) void call.bye().catch(() => {});
      },
    });
  return {
    async register() {
      await manager.connect();
      await manager.register();
    },
    unregister: () => manager.unregister(),
    call: async (target) => void (await manager.call(address(target), { earlyMedia: true })),
    setAnswerMode: (mode) => void (answerMode = mode),
    /** A reliable 183 with SDP (RFC 3262): sound before the answer. */
    early: () =>
      newest().progress({
        statusCode: 183,
        rel100: true,
        sessionDescriptionHandlerOptions: { constraints: { audio: true, video: false } },
      }),
    answer: () => manager.answer(newest()),
    decline: () => manager.decline(newest()),
    hangup: () => manager.hangup(newest()),
    hold: () => manager.hold(newest()),
    resume: () => manager.unhold(newest()),
    restartIce() {
      const call = newest();
      call.sessionDescriptionHandlerOptionsReInvite = { offerOptions: { iceRestart: true } };
      return call.invite({ requestDelegate: { onAccept: () => emit("restarted") } });
    },
    message: (target, text) => manager.message(address(target), text),
    sendDigit: (digit) => manager.sendDTMF(newest(), digit),
    transfer: (target) => transfer(newest(), UserAgent.makeURI(address(target))),
    transferToNewest: () => transfer(calls[0], newest()),
  };
}
