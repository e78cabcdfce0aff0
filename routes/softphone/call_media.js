/** What a call does with its audio. */

const DIGIT_MS = 100;
const GAP_MS = 60;

const peerOf = ({ session }) => session.sessionDescriptionHandler?.peerConnection;

const audioSender = (peer) => peer?.getSenders().find(({ track }) => track?.kind === "audio");

/** Plays what comes in and follows the connection; ends a call that lost it for good. */
export function watchMedia(call, { peerConnection: peer, remoteMediaStream }) {
  call.change({ media: "connecting" });
  peer.addEventListener("track", () => {
    call.element.srcObject = remoteMediaStream;
    void call.element.play().catch(() => {}); // Before anybody touched the page; then it is touched.
    call.change({ remote: remoteMediaStream });
  });
  peer.addEventListener("connectionstatechange", () => {
    switch (peer.connectionState) {
      case "connected": {
        const track = audioSender(peer)?.track;
        return call.change({ media: "connected", local: track && new MediaStream([track]) });
      }
      case "disconnected":
        return call.change({ media: "interrupted" });
      case "failed":
        call.change({ media: "lost", notice: "The connection for audio was lost" });
        void call.hangup();
    }
  });
}

/** Lets both sides be heard, or not, as hold and mute have it. */
export function setAudible(call) {
  const { isHeld, isMuted } = call;
  for (const { track } of peerOf(call)?.getSenders() ?? []) {
    if (track) track.enabled = !isHeld && !isMuted;
  }
  for (const { track } of peerOf(call)?.getReceivers() ?? []) track.enabled = !isHeld;
}

/** Sends a digit as a telephone event (RFC 4733), after those that are still under way. */
export function pressDigit(call, digit) {
  const dtmf = audioSender(peerOf(call))?.dtmf;
  if (!dtmf?.canInsertDTMF) return call.change({ notice: "The other side takes no digits" });
  dtmf.insertDTMF(dtmf.toneBuffer + digit, DIGIT_MS, GAP_MS);
}
