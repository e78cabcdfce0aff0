import { Buffer } from "node:buffer";
import { parseRtp, writeRtp } from "../../sip/media/rtp/rtp.ts";
import { encodeG711 } from "../../sip/media/codecs/g711.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { type StreamConnection, streamServer } from "../support/media/stream_server.ts";
import { startSystem } from "../support/process/system.ts";
import { plainOffer, plainSocket, portOf } from "../support/sip/plain_peer.ts";
import { tone } from "../support/media/tone.ts";
import { keptAwake } from "./awake.ts";
import { measureConversations } from "./conversation_delays.ts";
import { type Line, plainLines } from "./media_peers.ts";
import { embedded, type MediaServer } from "./media_servers.ts";
import { pinTo } from "./process_cpu.ts";

/**
 * `deno task bench:streams`: delays of audio streams. Delay of a frame from a call to the server of
 * its stream, and back to the phone, beside an echo of RTP by the engine itself in the same run.
 * Delay of silence at a caller after `clear`. Delay of the first audio of a call at the server
 * after the answer. The engine is alone on the first core; phones and server share the second one.
 * STREAMS is the number of streams (default 50), SECONDS the time of each figure (default 20),
 * CALLS that of the calls (default 20). ONLY=media or ONLY=calls measures that alone.
 * ONLY=conversations measures conversations by text: the delay of a text's sound, and that of
 * silence when the caller speaks.
 */

const streams = Number(Deno.env.get("STREAMS") ?? 50);
const seconds = Number(Deno.env.get("SECONDS") ?? 20);
const calls = Number(Deno.env.get("CALLS") ?? 20);
/** V8 compiles anew for some time; calls go on for longer than that. */
const warmUpSeconds = 8;

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
const pause = (s: number) => new Promise((resolve) => setTimeout(resolve, s * 1_000));

function show(name: string, delays: number[]): void {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? NaN).toFixed(1);
  const cells = [at(0.5), at(0.9), at(0.99), at(1), sorted.length];
  log(name.padEnd(52) + cells.map((cell) => String(cell).padStart(10)).join(""));
}

/** A payload that holds a number, in codes of mu-law that decode and encode to themselves. */
function numbered(number: number): Uint8Array<ArrayBuffer> {
  const payload = new Uint8Array(160).fill(0x20);
  for (let i = 0; i < 12; i++) payload[i] = (number >> (6 * (i % 4))) & 0x3f;
  return payload;
}

/** The number in a payload; none where the sound was stretched, concealed or shifted on its way. */
function numberIn(payload: Uint8Array): number | undefined {
  if (payload.length !== 160 || payload[12] !== 0x20) return undefined;
  const number = payload[0]! | payload[1]! << 6 | payload[2]! << 12 | payload[3]! << 18;
  const isWhole = numbered(number).every((code, at) => code === payload[at]);
  return isWhole ? number : undefined;
}

/** A phone that sends a numbered packet each 20 ms, and records the time. */
interface Phone {
  sentAt: number[];
  line: Line;
}

function startPhones(lines: Line[]): { phones: Phone[]; stop(): void } {
  const phones = lines.map((line): Phone => ({ line, sentAt: [] }));
  const turns = 4;
  let turn = 0;
  let due = performance.now();
  let timer = setTimeout(run);
  function run() {
    for (; due <= performance.now(); due += 20 / turns, turn++) {
      for (let i = turn % turns; i < phones.length; i += turns) send(phones[i]!, i);
    }
    timer = setTimeout(run, Math.max(0, due - performance.now()));
  }
  return { phones, stop: () => clearTimeout(timer) };
}

function send({ line, sentAt }: Phone, at: number): void {
  const number = sentAt.push(performance.now()) - 1;
  line.send(writeRtp({
    payloadType: 0,
    marker: number === 0,
    sequence: number & 0xffff,
    timestamp: number * 160,
    ssrc: 1_000 + at,
    payload: numbered(number),
  }));
}

/** Opens legs for phones that speak, and does something with them; the phones and the server. */
async function openLegs(count: number, act: (server: MediaServer) => Promise<void>) {
  const server = embedded();
  const { lines, close } = await plainLines(Array(count).fill("PCMU"));
  const answers = await server.open(lines.map(({ offer }) => offer));
  await Promise.all(lines.map((line, i) => line.accept(answers[i]!)));
  const { phones, stop } = startPhones(lines);
  await act(server);
  return {
    phones,
    server,
    async end() {
      stop();
      await server.close();
      await close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Round-trip time of each packet of a phone. */
function timeReturns(phones: Phone[]): number[] {
  const delays: number[] = [];
  for (const { line, sentAt } of phones) {
    line.onPacket = (bytes, at) => {
      const packet = parseRtp(bytes);
      const number = packet?.payloadType === 0 ? numberIn(packet.payload) : undefined;
      if (number !== undefined) delays.push(at - sentAt[number]!);
    };
  }
  return delays;
}

async function measureEcho(): Promise<void> {
  const { phones, end } = await openLegs(streams, (server) => server.perform("echo"));
  await pause(warmUpSeconds);
  const delays = timeReturns(phones);
  await pause(seconds);
  show(`RTP echo by the engine, ${streams} legs: back at the phone`, delays);
  await end();
}

async function measureStreams(): Promise<void> {
  await using audio = await streamServer();
  const toServer: number[] = [];
  let isMeasured = false;
  const { phones, server, end } = await openLegs(streams, (server) => server.stream!(audio.url));
  for (let i = 0; i < streams; i++) {
    const connection = await audio.next();
    const { sentAt } = phones[Number(connection.path.slice(1))]!;
    connection.onMessage((message) => {
      connection.messages.length = 0;
      if (message.event !== "media") return;
      const now = performance.now();
      const number = numberIn(Buffer.from(message.media.payload, "base64"));
      if (isMeasured && number !== undefined) toServer.push(now - sentAt[number]!);
      connection.send({ event: "media", media: { payload: message.media.payload } });
    });
  }
  await pause(warmUpSeconds);
  const delays = timeReturns(phones);
  isMeasured = true;
  const [before, startedAt] = [server.cpuS(), performance.now()];
  await pause(seconds);
  const cpu = (server.cpuS() - before) / (performance.now() - startedAt) * 1_000;
  show(`streams, ${streams} on a core: at the server`, toServer);
  show(`streams, ${streams} on a core: echoed, back at the phone`, delays);
  log(
    `CPU of the engine: ${(100 * cpu).toFixed(0)} % of a core, ` +
      `${(100 * cpu / streams).toFixed(2)} % for each stream`,
  );
  await end();
}

const isLoud = (payload: Uint8Array) => payload.some((code) => (~code & 0x7f) > 0x30);

async function measureClear(): Promise<void> {
  await using audio = await streamServer();
  const { phones: [phone], end } = await openLegs(1, (server) => server.stream!(audio.url));
  const connection = await audio.next();
  const delays: number[] = [];
  let lastLoudAt = 0;
  phone!.line.onPacket = (bytes, at) => {
    const packet = parseRtp(bytes);
    if (packet?.payloadType === 0 && isLoud(packet.payload)) lastLoudAt = at;
  };
  const payload = Buffer.from(encodeG711("PCMU", tone(700, 5))).toString("base64");
  for (let i = 0; i < 50; i++) {
    connection.send({ event: "media", media: { payload } });
    await pause(0.2 + Math.random() * 0.02);
    const clearedAt = performance.now();
    connection.send({ event: "clear" });
    await pause(0.2);
    // The last packet of sound is heard for 20 ms.
    delays.push(Math.max(0, lastLoudAt + 20 - clearedAt));
  }
  show("clear: the caller hears silence", delays);
  await end();
}

/** Calls of a phone to the whole product, from its 200 to the first audio at the server. */
async function measureFirstAudio(): Promise<void> {
  await using audio = await streamServer();
  await using app = startAppServer();
  await using system = await startSystem({ env: { RTP_PORTS: "0" } });
  app.pages.set("/voice", `<Response><Connect><Stream url="${audio.url}"/></Connect></Response>`);
  await system.post("Clients.json", {
    Login: "alice",
    Password: "alice-secret",
    VoiceUrl: `${app.url}/voice`,
  });
  const phone = await system.phone("alice");
  const [first, all]: [number[], number[]] = [[], []];
  for (let i = 0; i < calls + 3; i++) {
    const socket = await plainSocket();
    const begun = performance.now();
    const dialog = await phone.call("agent", { sdp: plainOffer(socket.port) }).answered;
    const answeredAt = performance.now();
    const to = portOf(dialog.remoteSdp);
    const timer = setInterval(() => socket.send(to, { payload: numbered(i) }), 20);
    socket.send(to, { payload: numbered(i) });
    const connection: StreamConnection = await audio.next();
    await connection.message(({ event, media }) =>
      event === "media" && numberIn(Buffer.from(media.payload, "base64")) !== undefined
    );
    if (i >= 3) {
      first.push(performance.now() - answeredAt);
      all.push(performance.now() - begun);
    }
    clearInterval(timer);
    await dialog.bye();
    await socket.close();
  }
  show("whole calls: first audio at the server, from the answer", first);
  show("whole calls: the same, from the INVITE", all);
}

const awake = keptAwake();
log(`${awake.loops} busy loops at priority 19 beside it`);
log(
  "ms".padEnd(52) + ["median", "p90", "p99", "most", "count"].map((c) => c.padStart(10)).join(""),
);
const only = Deno.env.get("ONLY");
const isWanted = (part: string) => only === undefined || only === part;
if (isWanted("media")) {
  await pinTo(1);
  await measureEcho();
  await measureStreams();
  await measureClear();
}
if (isWanted("calls")) await measureFirstAudio();
if (only === "conversations") await measureConversations(calls, show);
await awake[Symbol.asyncDispose]();
Deno.exit();
