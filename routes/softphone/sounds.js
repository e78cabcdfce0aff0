/** Tones of the page, and its one AudioContext. */

let context;

/** The page's AudioContext; browsers allow sound after the first click on the page. */
export function audioContext() {
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume().catch(() => {});
  return context;
}

/** True when the browser allows sound. */
export const maySound = () => audioContext().state === "running";

/** Frequencies in Hz, seconds on and off, and loudness. */
const patterns = {
  ring: { notes: [[659.25], [783.99], [1046.5]], noteS: 0.16, everyS: 2.4, gain: 0.16 },
  ringback: { notes: [[440, 480]], noteS: 1.6, everyS: 5, gain: 0.05 },
  text: { notes: [[783.99], [1046.5]], noteS: 0.09, everyS: 1, gain: 0.1, times: 1 },
  busy: { notes: [[480, 620]], noteS: 0.4, everyS: 0.8, gain: 0.05, times: 3 },
};

/** Repeats a sound until the result is called. */
export function start(name) {
  const { notes, noteS, everyS, gain, times = Infinity } = patterns[name];
  const audio = audioContext();
  const out = new GainNode(audio, { gain });
  out.connect(audio.destination);
  let played = 0;
  const round = () => {
    if (played++ >= times) return clearInterval(timer);
    notes.forEach((frequencies, at) => note(out, frequencies, { atS: at * noteS, lengthS: noteS }));
  };
  const timer = setInterval(round, everyS * 1_000);
  round();
  return () => {
    clearInterval(timer);
    out.disconnect();
  };
}

function note(out, frequencies, { atS, lengthS }) {
  const audio = out.context;
  const [from, to] = [audio.currentTime + atS, audio.currentTime + atS + lengthS];
  const envelope = new GainNode(audio, { gain: 0 });
  envelope.gain.setValueAtTime(0, from);
  envelope.gain.linearRampToValueAtTime(1, from + 0.02);
  envelope.gain.setValueAtTime(1, to - 0.04);
  envelope.gain.linearRampToValueAtTime(0, to);
  envelope.connect(out);
  for (const frequency of frequencies) {
    const tone = new OscillatorNode(audio, { frequency });
    tone.connect(envelope);
    tone.start(from);
    tone.stop(to);
  }
}

const rows = [697, 770, 852, 941];
const columns = [1209, 1336, 1477];
const keys = "123456789*0#";

/** Plays the DTMF tone of a key (ITU-T Q.23) at low volume. */
export function keySound(key) {
  const at = keys.indexOf(key);
  if (at < 0) return;
  const audio = audioContext();
  const out = new GainNode(audio, { gain: 0.04 });
  out.connect(audio.destination);
  note(out, [rows[Math.floor(at / 3)], columns[at % 3]], { atS: 0, lengthS: 0.12 });
  setTimeout(() => out.disconnect(), 400);
}
