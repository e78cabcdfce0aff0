import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { wavHeader } from "../../core/recordings/wav_header.ts";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { firefoxTest } from "../support/browsers/firefox.ts";

const script = new URL("../../routes/console/assets/wave.js", import.meta.url);

/** Parts of the page's own types that this file uses. */
interface Player {
  currentTime: number;
  play(): Promise<void>;
  pause(): void;
}
interface Canvas {
  width: number;
  height: number;
  getContext(name: "2d"): {
    getImageData(...box: number[]): { data: Uint8ClampedArray };
  };
}

/** Chromium seeks where ranges are served, as the service does. */
function rangeOf(bytes: Uint8Array<ArrayBuffer>, range: string | null): Response {
  const headers = { "Content-Type": "audio/wav", "Accept-Ranges": "bytes" };
  const from = Number(/^bytes=(\d+)-/.exec(range ?? "")?.[1] ?? NaN);
  if (Number.isNaN(from)) return new Response(bytes, { headers });
  const part = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
  return new Response(bytes.slice(from), {
    status: 206,
    headers: { ...headers, "Content-Range": part },
  });
}

/** Two seconds at 8 kHz: one party speaks in the first one, the other is silent. */
function audio(): Uint8Array<ArrayBuffer> {
  const samples = new Int16Array(2 * 16_000);
  for (let n = 0; n < 8_000; n++) samples[2 * n] = 16_000 * Math.sin(n / 3);
  return Uint8Array.from([...wavHeader(2, samples.byteLength), ...new Uint8Array(samples.buffer)]);
}

const page = `<!doctype html><style>.wave { display: block; width: 480px; height: 80px; }
:root { --accent: #f00; --edge: #00f; }</style><audio src="/audio.wav" data-wave muted></audio>
<script type="module">import { drawWaves } from "/wave.js"; drawWaves(document);</script>`;

/** A player draws the audio of both parties once it is played, and a click leads to a moment of it. */
async function drawWave(browser: Browser): Promise<void> {
  const files: Record<string, (request: Request) => Promise<Response> | Response> = {
    "/": () => new Response(page, { headers: { "Content-Type": "text/html" } }),
    "/audio.wav": ({ headers }) => rangeOf(audio(), headers.get("Range")),
    "/wave.js": async () =>
      new Response(await Deno.readTextFile(script), {
        headers: { "Content-Type": "text/javascript" },
      }),
  };
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) =>
      files[new URL(request.url).pathname]?.(request) ?? new Response(null, { status: 404 }),
  );
  const shown = await browser.newPage();
  await shown.goto(`http://127.0.0.1:${server.addr.port}/`);
  await shown.locator("audio").evaluate((player: Player) => player.play());
  const wave = shown.locator("canvas.wave");
  await wave.waitFor();

  /** The drawn pixels of an area of the canvas, given as fractions of it. */
  const drawn = (left: number, top: number) =>
    wave.evaluate((canvas: Canvas, [left, top]) => {
      const { width, height } = canvas;
      const { data } = canvas.getContext("2d")
        .getImageData(left! * width, top! * height, width / 2, height / 2);
      return data.filter((_, at) => at % 4 === 3).reduce((sum, alpha) => sum + alpha / 255, 0);
    }, [left, top]);
  const [speech, pause, silent] = [await drawn(0, 0), await drawn(0.5, 0), await drawn(0, 0.5)];
  assert.ok(speech > 5 * pause, `${speech} and ${pause}`);
  assert.ok(speech > 5 * silent, `${speech} and ${silent}`);

  await shown.locator("audio").evaluate((player: Player) => player.pause());
  await wave.click({ position: { x: 360, y: 40 } });
  const at = await shown.locator("audio").evaluate((player: Player) => player.currentTime);
  assert.ok(Math.abs(at - 1.5) < 0.05, String(at));
  await shown.close();
}

chromiumTest(
  "a recording's waveform in Chromium has a lane for each party, and a click seeks",
  drawWave,
);
firefoxTest(
  "a recording's waveform in Firefox has a lane for each party, and a click seeks",
  drawWave,
);
