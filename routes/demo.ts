import { type Context, Hono } from "hono";
import { readText } from "../core/base/exchange.ts";
import { Fault } from "../core/base/faults.ts";
import { limits } from "../core/base/limits.ts";
import { writeWav } from "../core/base/wav.ts";
import { element, escapeXml } from "./http/xml.ts";

/**
 * Built-in markup applications for first calls: `welcome` plays a chime and a sentence. The demo
 * numbers lead to `echo`, `menu`, `voicemail` and `conference` (`core/trials/demo.ts`).
 */
export function demo(): Hono {
  const methods = ["GET", "POST"];
  return new Hono()
    .on(methods, "/welcome", (c) => answer(c, welcome))
    .on(
      methods,
      "/echo",
      (c) =>
        answer(c, say("You hear what you say. Hang up when you have heard enough.") + "<Echo/>"),
    )
    .on(
      methods,
      "/conference",
      (c) =>
        answer(
          c,
          say("You enter the demo conference.") + "<Dial><Conference>demo</Conference></Dial>",
        ),
    )
    .on(methods, "/menu", (c) => answer(c, menu))
    .on(methods, "/menu/chosen", async (c) => answer(c, chosen(await parameters(c))))
    .on(methods, "/voicemail", (c) => answer(c, voicemail))
    .on(methods, "/voicemail/recorded", async (c) => answer(c, recorded(await parameters(c))))
    .get("/chime.wav", (c) => {
      c.header("content-type", "audio/wav");
      return c.body(chime());
    });
}

function answer(c: Context, content: string): Response {
  c.header("content-type", "application/xml; charset=utf-8");
  return c.body(`<?xml version="1.0" encoding="UTF-8"?>\n${element("Response", content)}`);
}

const say = (text: string): string => element("Say", escapeXml(text));

/** The parameters of the request, in its query or its form. */
async function parameters({ req }: Context): Promise<URLSearchParams> {
  const query = new URL(req.url).searchParams;
  if (req.method === "GET") return query;
  // The request has no credentials, so that only a small body is read.
  if (Number(req.header("Content-Length") ?? 0) > limits.documentBytes) throw new Fault("tooLarge");
  const { text } = await readText(req.raw, limits.documentBytes);
  return new URLSearchParams(text);
}

const welcome = "<Play>chime.wav</Play>" +
  say("Hello, and welcome to Switchboard. Your first call works.");

const menu = '<Gather numDigits="1" timeout="8" action="menu/chosen">' +
  say("Press 1 to hear a chime, 2 to hear which number you came from, or 3 to leave a message.") +
  "</Gather>" + say("You pressed nothing. Goodbye.");

/** Each choice returns to the menu, except the voice mail. */
function chosen(params: URLSearchParams): string {
  const digits = params.get("Digits") ?? "";
  const again = "<Redirect>../menu</Redirect>";
  switch (digits) {
    case "1":
      return `<Play>../chime.wav</Play>${again}`;
    case "2":
      return say(`You are ${params.get("From") || "somebody without a number"}.`) + again;
    case "3":
      return "<Redirect>../voicemail</Redirect>";
    default:
      return say(`${digits} is not in the menu.`) + again;
  }
}

const voicemail = say("Say something after the beep, and be silent when you are done.") +
  '<Record maxLength="60" timeout="3" action="voicemail/recorded"/>' +
  say("Nothing was recorded. Goodbye.");

function recorded(params: URLSearchParams): string {
  if (params.get("Digits") === "hangup") return "";
  return say("This is what you said.") +
    element("Play", escapeXml(params.get("RecordingUrl") ?? "")) +
    say("It is kept among your recordings. Goodbye.");
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
      const value = 7_000 * Math.exp(-5 * t) * Math.sin(2 * Math.PI * hz * t);
      samples[i] = (samples[i] ?? 0) + value;
    }
  }
  return writeWav(samples, rate);
}
