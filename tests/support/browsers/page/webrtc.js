import { connection, playRemote } from "./audio.js";

/** A bare connection: the media of a softphone without any signalling. */

const open = async () => {
  const peer = new RTCPeerConnection();
  peer.ontrack = ({ track }) => playRemote(track);
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
  for (const track of microphone.getTracks()) peer.addTrack(track, microphone);
  return peer;
};

/** Our description once all candidates are in it. */
const complete = async (peer) => {
  await peer.setLocalDescription();
  if (peer.iceGatheringState !== "complete") {
    await new Promise((resolve) => {
      peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && resolve();
    });
  }
  return peer.localDescription.sdp;
};

export const webrtc = {
  offer: async () => await complete(await open()),
  accept: (sdp) => connection().setRemoteDescription({ type: "answer", sdp }),
  async answer(sdp) {
    const peer = await open();
    await peer.setRemoteDescription({ type: "offer", sdp });
    return await complete(peer);
  },
  /** Resolves when ICE and DTLS are done. */
  connected: () =>
    new Promise((resolve, reject) => {
      const peer = connection();
      const look = () => {
        if (peer.connectionState === "connected") resolve();
        if (peer.connectionState === "failed") reject(new Error("Cannot connect: it failed"));
      };
      peer.onconnectionstatechange = look;
      look();
    }),
  /** Offers again with another direction, and takes the answer that `answer` brings. */
  async setDirection(direction) {
    connection().getTransceivers()[0].direction = direction;
    return await complete(connection());
  },
  /** Offers again with a restart of ICE, and all new candidates. */
  async restartIce() {
    const peer = connection();
    peer.restartIce();
    const gathered = new Promise((resolve) => {
      peer.onicecandidate = ({ candidate }) => candidate === null && resolve();
    });
    await peer.setLocalDescription();
    await gathered;
    return peer.localDescription.sdp;
  },
  close: () => connection().close(),
};
