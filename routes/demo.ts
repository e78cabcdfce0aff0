import { Hono } from "hono";
import { writeWav } from "../core/wav.ts";

/**
 * A markup application of our own, so that a first call has something to say: `Url` set to
 * `{base_url}/demo/welcome` plays a chime, says that it works, and hangs up.
 */
export function demo(): Hono {
  return new Hono()
    .on(["GET", "POST"], "/welcome", (c) => {
      c.header("content-type", "application/xml; charset=utf-8");
      return c.body(
        '<?xml version="1.0" encoding="UTF-8"?>\n' +
          "<Response><Play>chime.wav</Play>" +
          "<Say>Hello, and welcome to Switchboard. Your first call works.</Say></Response>",
      );
    })
    .get("/chime.wav", (c) => {
      c.header("content-type", "audio/wav");
      return c.body(chime());
    });
}

const rate = 8_000;
const notes = [523.25, 659.25, 783.99];
const noteS = 0.35;

/** Three falling notes of a C major chord, as 16-bit PCM at 8 kHz. */
function chime(): Uint8Array<ArrayBuffer> {
  const samples = new Int16Array(Math.round((notes.length * noteS + 0.4) * rate));
  for (const [index, hz] of notes.entries()) {
    const start = Math.round(index * noteS * rate);
    for (let i = start; i < samples.length; i++) {
      const t = (i - start) / rate;
      samples[i]! += 7_000 * Math.exp(-5 * t) * Math.sin(2 * Math.PI * hz * t);
    }
  }
  return writeWav(samples, rate);
}
