import { audioContext } from "./sounds.js";

const FLOOR_DB = -60;

/** Measures the level of a stream: `level()` is 0 (silence) to 1 (full scale). */
export function openMeter(stream) {
  const audio = audioContext();
  const source = audio.createMediaStreamSource(stream);
  const analyser = new AnalyserNode(audio, { fftSize: 1024 });
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    level() {
      analyser.getFloatTimeDomainData(samples);
      let sum = 0;
      for (const sample of samples) sum += sample * sample;
      const db = 10 * Math.log10(sum / samples.length + 1e-12);
      return Math.min(1, Math.max(0, 1 - db / FLOOR_DB));
    },
    close: () => source.disconnect(),
  };
}
