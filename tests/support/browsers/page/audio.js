/**
 * Audio that the page receives, sends and counts; the same for every library that opens a
 * connection.
 */

const FFT_SIZE = 4096;
const SAMPLE_RATE = 48_000;
const QUIET_DB = -60;
const TOLERANCE_HZ = 20;
/** Below it is what comes of comfort noise and of a codec's least step. */
const QUIET_ENERGY = 1e-5;
const SILENCE_MS = 1_200;

const connections = [];
const NativePeerConnection = globalThis.RTCPeerConnection;

/** Remembers every connection; none may use a STUN server outside. */
globalThis.RTCPeerConnection = class extends NativePeerConnection {
  constructor(configuration) {
    super({ ...configuration, iceServers: [] });
    connections.push(this);
  }
};

/** The connection opened last. */
export function connection() {
  const last = connections.at(-1);
  if (last === undefined) throw new Error("Cannot find a connection: none was opened");
  return last;
}

/** Plays remote audio; without an element that plays, the browser decodes nothing. */
export function playRemote(track) {
  document.getElementById("remote").srcObject = new MediaStream([track]);
}

let context;
const analysers = new WeakMap();

function analyser() {
  const track = connection().getReceivers().find((each) => each.track?.kind === "audio")?.track;
  if (track === undefined) return undefined;
  const known = analysers.get(track);
  if (known !== undefined) return known;
  context ??= new AudioContext({ sampleRate: SAMPLE_RATE });
  const node = new AnalyserNode(context, { fftSize: FFT_SIZE, smoothingTimeConstant: 0 });
  context.createMediaStreamSource(new MediaStream([track])).connect(node);
  analysers.set(track, node);
  return node;
}

/** Returns whether a frequency is the loudest in the remote audio just now. */
export function heardFrequency(hz) {
  const node = analyser();
  if (node === undefined) return false;
  const levels = new Float32Array(node.frequencyBinCount);
  node.getFloatFrequencyData(levels);
  let loudest = 1;
  for (let bin = 1; bin < levels.length; bin++) if (levels[bin] > levels[loudest]) loudest = bin;
  const difference = Math.abs(loudest * SAMPLE_RATE / FFT_SIZE - hz);
  return levels[loudest] > QUIET_DB && difference < TOLERANCE_HZ;
}

/** Resolves when a frequency is the loudest in the remote audio. */
export function awaitTone(hz, timeoutMs) {
  return until(() => heardFrequency(hz), timeoutMs, `hear ${hz} Hz`);
}

/** Resolves when so many more audio packets came in, with sound in them. */
export async function awaitAudio(packets, timeoutMs) {
  const [first, before] = [connection(), await stats()];
  const enough = async () => {
    const now = await stats();
    // A connection made meanwhile counts from nothing.
    const since = connection() === first ? before : nothing;
    return now.packetsReceived - since.packetsReceived >= packets &&
      now.totalAudioEnergy - since.totalAudioEnergy > QUIET_ENERGY;
  };
  await until(enough, timeoutMs, `receive ${packets} packets with sound`);
}

/** Resolves when no sound came in for some time, in which the microphone of a talker beeps twice. */
export async function awaitSilence(timeoutMs) {
  let [heard, since] = [0, performance.now()];
  const isSilent = async () => {
    const { totalAudioEnergy } = await stats();
    if (totalAudioEnergy - heard > QUIET_ENERGY) {
      heard = totalAudioEnergy;
      since = performance.now();
    }
    return performance.now() - since > SILENCE_MS;
  };
  await until(isSilent, timeoutMs, "hear silence");
}

/**
 * ICE username fragments of the used pair: that of this side, and the one in the remote
 * description. Chromium shows the previous one if a check arrived before the description.
 */
export function iceNames() {
  const peer = connection();
  const pair = peer.getSenders()[0].transport.iceTransport.getSelectedCandidatePair();
  const theirs = /^a=ice-ufrag:(.*)\r$/m.exec(peer.remoteDescription.sdp)[1];
  return [pair?.local.usernameFragment, theirs];
}

/** Resolves when there is a pair, and both are called otherwise. */
export async function awaitOtherNames(names, timeoutMs) {
  const others = () => iceNames().every((name, i) => name !== undefined && name !== names[i]);
  await until(others, timeoutMs, `see other names of ICE than ${names}`);
}

async function until(condition, timeoutMs, what) {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Cannot ${what}: waited ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

const nothing = { packetsReceived: 0, packetsSent: 0, totalAudioEnergy: 0 };

/** Sums of the connection's audio streams. */
export async function stats() {
  const sums = { ...nothing };
  for (const report of (await connection().getStats()).values()) {
    if (report.type === "inbound-rtp") {
      sums.packetsReceived += report.packetsReceived;
      sums.totalAudioEnergy += report.totalAudioEnergy ?? 0;
    }
    if (report.type === "outbound-rtp") sums.packetsSent += report.packetsSent;
  }
  return sums;
}

/** Presses digits as telephone events (RFC 4733); resolves after the last one. */
export async function pressDigits(digits) {
  const sender = connection().getSenders().find((each) => each.track?.kind === "audio")?.dtmf;
  if (!sender?.canInsertDTMF) throw new Error("Cannot press digits: the peer takes no events");
  const done = new Promise((resolve) => {
    sender.ontonechange = ({ tone }) => tone === "" && resolve();
  });
  sender.insertDTMF(digits, 100, 60);
  await done;
}
