/** The audio of a call. */

const DIGIT_MS = 100;
const GAP_MS = 60;

const peerOf = ({ session }) => session.sessionDescriptionHandler?.peerConnection;

export const constraints = { audio: true, video: false };

const audioSender = (peer) => peer?.getSenders().find(({ track }) => track?.kind === "audio");

/** Plays the received audio, and reports the state of its connection. */
export function watchMedia(call, { peerConnection: peer, remoteMediaStream }) {
  call.change({ media: "connecting" });
  peer.addEventListener("track", () => {
    call.element.srcObject = remoteMediaStream;
    void call.element.play().catch(() => {}); // Browsers refuse before the first click on the page.
    call.change({ remote: remoteMediaStream });
  });
  peer.addEventListener("connectionstatechange", () => {
    if (peer.connectionState === "connected") {
      const track = audioSender(peer)?.track;
      call.change({ media: "connected", local: track && new MediaStream([track]) });
    }
    call.recovery.media(peer.connectionState);
  });
}

/**
 * Sends a re-INVITE that holds the call or not; returns the status of the response, 0 when it could
 * not be sent.
 */
export async function reinvite(call, { isHeld = call.isHeld, iceRestart = false }) {
  const { session } = call;
  const offer = (options) => session.sessionDescriptionHandlerOptionsReInvite = options;
  offer({ hold: isHeld, constraints, offerOptions: { iceRestart } });
  const status = await new Promise((resolve) =>
    session.invite({
      requestDelegate: {
        onAccept: () => resolve(200),
        onReject: ({ message }) => resolve(message.statusCode),
      },
    }).catch(() => resolve(0))
  );
  // Later offers of the peer are answered with these options.
  offer({ hold: status === 200 ? isHeld : call.isHeld, constraints });
  return status;
}

/** Enables the tracks by hold and mute. */
export function setAudible(call) {
  const { isHeld, isMuted } = call;
  for (const { track } of peerOf(call)?.getSenders() ?? []) {
    if (track) track.enabled = !isHeld && !isMuted;
  }
  for (const { track } of peerOf(call)?.getReceivers() ?? []) track.enabled = !isHeld;
}

/** Sends a digit as a telephone event (RFC 4733) after the queued ones. */
export function pressDigit(call, digit) {
  const dtmf = audioSender(peerOf(call))?.dtmf;
  if (!dtmf?.canInsertDTMF) return call.change({ notice: "The other side takes no digits" });
  dtmf.insertDTMF(dtmf.toneBuffer + digit, DIGIT_MS, GAP_MS);
}
