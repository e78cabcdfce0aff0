/** Put into a page before its own scripts: keeps its connections, and says what came in. */
{
  const kept = [];
  const Native = globalThis.RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends Native {
    constructor(...configuration) {
      super(...configuration);
      kept.push(this);
    }
  };
  /** The energy of all audio that the page received. */
  globalThis.heard = async () => {
    let energy = 0;
    for (const peer of kept) {
      for (const { type, totalAudioEnergy } of (await peer.getStats()).values()) {
        if (type === "inbound-rtp") energy += totalAudioEnergy ?? 0;
      }
    }
    return energy;
  };
}
