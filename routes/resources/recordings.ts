import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { effectiveStatus } from "../../core/accounts/access.ts";
import { tenantOf } from "../../core/accounts/tenant.ts";
import { limits } from "../../core/base/limits.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { appendedFormat, isSigned } from "../../core/recordings/link.ts";
import { mp3Gate, mp3Length, mp3Of } from "../../core/recordings/mp3.ts";
import { wavHeaderBytes } from "../../core/recordings/wav_header.ts";
import type { Account } from "../../core/model/resources/accounts.ts";
import { recordings as definition } from "../../core/model/resources/recordings.ts";
import { byteRange } from "../http/byte_range.ts";
import type { Env } from "../http/env.ts";
import { pathOf } from "../http/format.ts";
import { answerFault } from "../http/errors.ts";

/** The audio that a request wants. */
interface Wanted {
  account: Account;
  sid: string;
  format: "wav" | "mp3";
}

/**
 * The Sid and the format of the recording whose audio is at a path; null for another path. For
 * Twilio's libraries the Sid alone is an address of audio, of which the record is at `.json` or
 * `.xml`. Programs for Twilio append `.mp3` to a RecordingUrl as it is, here behind its signature.
 */
function audioOf(c: Context): Omit<Wanted, "account"> | null {
  const pathname = pathOf(c.req.raw);
  const { search } = new URL(c.req.url);
  const isBare = c.req.method !== "DELETE" &&
    pathname.startsWith(`/${limits.twilioApiVersion}/`);
  const [, sid, format = isBare ? "wav" : undefined] =
    /\/(RE[0-9a-f]{32})(?:\.(wav|mp3|WAV|MP3))?$/.exec(pathname) ?? [];
  if (format === undefined || sid === undefined) return null;
  const [, appended = format] = appendedFormat.exec(search) ?? [];
  return { sid, format: appended.toLowerCase() === "mp3" ? "mp3" : "wav" };
}

/** Serves audio without credentials: by a signed URL, or when RECORDINGS_PUBLIC allows it. */
export function openAudio(ports: Ports) {
  return createMiddleware<Env>(async (c, next) => {
    const audio = audioOf(c);
    if (audio === null || !["GET", "HEAD", "OPTIONS"].includes(c.req.method)) return await next();
    const { sid } = audio;
    const accountSid = c.req.param("account") ?? "";
    const query = new URL(c.req.url).searchParams;
    const hasLink = await isSigned({ accountSid, sid }, query, ports);
    if (hasLink) allowAnyOrigin(c);
    if (c.req.method === "OPTIONS") return hasLink ? c.body(null, 204) : await next();
    if (!hasLink && !ports.settings.recordingsPublic) return await next();
    const account = await ports.accounts.get(accountSid);
    if (account === null) return await next();
    if (await effectiveStatus(account, ports.accounts) !== "active") {
      throw new Fault("accountInactive");
    }
    return await answerAudio(c, { account, ...audio }, ports);
  });
}

/** Lets pages of any site read audio by a signed URL (Fetch standard, CORS protocol). */
function allowAnyOrigin(c: Context<Env>): void {
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", "Accept-Ranges, Content-Length, Content-Range, ETag");
  if (c.req.method !== "OPTIONS") return;
  c.header("Access-Control-Allow-Methods", "GET, HEAD");
  c.header("Access-Control-Allow-Headers", "If-None-Match, If-Range, Range");
  c.header("Access-Control-Max-Age", "3600");
}

/**
 * The operations of Recordings beyond the regular ones: audio, at the Sid with `.wav` or `.mp3`.
 */
export function recordingRoutes(ports: Ports): Hono<Env> {
  const { recordings } = ports.records;
  return new Hono<Env>().on(["GET", "DELETE"], "/:sid", async (c, next) => {
    const audio = audioOf(c);
    if (audio === null) return await next();
    const { account } = c.var;
    if (c.req.method !== "DELETE") return await answerAudio(c, { account, ...audio }, ports);
    await recordings.remove(account.sid, audio.sid, definition.removed);
    return c.body(null, 204);
  });
}

function answerAudio(c: Context<Env>, wanted: Wanted, ports: Ports): Promise<Response> {
  return wanted.format === "wav" ? answerWav(c, wanted, ports) : answerMp3(c, wanted, ports);
}

/**
 * The audio recorded so far as MP3. It is encoded while it is sent, so there are no ranges of it. Few
 * of a tenant are encoded at once.
 */
async function answerMp3(
  c: Context<Env>,
  { account, sid }: Wanted,
  { records, blobs }: Ports,
): Promise<Response> {
  const accountSid = account.sid;
  const isKept = await records.recordings.get(accountSid, sid) !== null;
  const size = isKept ? await blobs.size(accountSid, sid) : null;
  if (size === null) throw new Fault("notFound", `${sid}.mp3`);
  const read = async (end: number) => {
    const content = await blobs.get(accountSid, sid, { start: 0, end });
    if (content === null) throw new Fault("notFound", `${sid}.mp3`);
    return content;
  };
  const beginning = await new Response(await read(wavHeaderBytes)).bytes();
  const length = mp3Length(beginning, size);
  if (length === null) throw new Fault("notFound", `${sid}.mp3`);
  if (isUnchanged(c, `"${sid}-${size}-mp3"`)) return c.body(null, 304);
  c.header("Accept-Ranges", "none");
  c.header("Content-Type", "audio/mpeg");
  c.header("Content-Length", String(length));
  if (c.req.method === "HEAD") return c.body(null);
  const leave = await mp3Gate.enter(tenantOf(account));
  try {
    return c.body(mp3Of(await read(size), { onEnd: leave }));
  } catch (error) {
    leave();
    throw error;
  }
}

/** Sets the caching headers; true when the client has the audio already (RFC 9110 §13.1.2). */
function isUnchanged(c: Context<Env>, etag: string): boolean {
  c.header("ETag", etag);
  c.header("Cache-Control", "private");
  const known = c.req.header("If-None-Match")?.split(",").map((tag) => tag.trim()) ?? [];
  return known.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

/** The audio or a range of it; or a redirect to the object storage that has it. */
async function answerWav(
  c: Context<Env>,
  { account, sid }: Wanted,
  ports: Ports,
): Promise<Response> {
  const accountSid = account.sid;
  const { records, blobs } = ports;
  const isHead = c.req.method === "HEAD";
  const recording = await records.recordings.get(accountSid, sid);
  const elsewhere = recording?.isStored &&
    await blobs.link(accountSid, sid, isHead ? "HEAD" : "GET");
  if (elsewhere) {
    c.header("Cache-Control", "no-store");
    return c.redirect(elsewhere, 307);
  }
  const size = recording && await blobs.size(accountSid, sid);
  if (size === null) throw new Fault("notFound", `${sid}.wav`);
  const etag = `"${sid}-${size}"`; // It only grows.
  if (isUnchanged(c, etag)) return c.body(null, 304);
  const condition = c.req.header("If-Range");
  const isSame = condition === undefined || condition === etag;
  const range = isSame ? byteRange(c.req.header("Range"), size) : null;

  c.header("Accept-Ranges", "bytes");
  if (range === "unsatisfiable") {
    c.header("Content-Range", `bytes */${size}`);
    return answerFault(c, new Fault("badRange", `the audio has ${size} bytes`), ports);
  }
  const { start, end } = range ?? { start: 0, end: size };
  if (range !== null) c.header("Content-Range", `bytes ${start}-${end - 1}/${size}`);
  c.header("Content-Type", "audio/wav");
  c.header("Content-Length", String(end - start));
  const status = range === null ? 200 : 206;
  if (isHead) return c.body(null, status);
  const content = await blobs.get(accountSid, sid, { start, end });
  if (content === null) throw new Fault("notFound", `${sid}.wav`);
  return c.body(content, status);
}
