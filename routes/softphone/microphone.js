/** The microphone, opened once for all calls and released after the last one. */

const wanted = {
  audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  video: false,
};

let opening;
const given = new Set();

/**
 * A copy of the stream for a call, which stops its tracks at its end. Rejects as getUserMedia()
 * does.
 */
export async function microphone() {
  opening ??= open();
  let stream;
  try {
    stream = await opening;
  } catch (error) {
    opening = undefined;
    throw error;
  }
  const copy = stream.clone();
  given.add(copy);
  return copy;
}

/** Opens the microphone; rejects as getUserMedia() does. */
export async function ensureMicrophone() {
  (await microphone()).getTracks().forEach((track) => track.stop());
}

async function open() {
  if (!navigator.mediaDevices) throw new DOMException("No media devices", "NotSupportedError");
  const stream = await navigator.mediaDevices.getUserMedia(wanted);
  stream.getTracks().forEach((track) => track.addEventListener("ended", () => opening = undefined));
  return stream;
}

/** Closes the microphone, so that the browser shows it as not in use. */
export async function releaseMicrophone() {
  const stream = await opening?.catch(() => undefined);
  opening = undefined;
  for (const each of [stream, ...given]) each?.getTracks().forEach((track) => track.stop());
  given.clear();
}
