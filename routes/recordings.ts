import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { standing } from "../core/access.ts";
import { Fault } from "../core/faults.ts";
import type { Ports } from "../core/ports.ts";
import { isOpen } from "../core/recordings/link.ts";
import type { Env } from "./env.ts";

/** The Sid of the recording whose audio a path is, null when it is none. */
const audioSid = (c: Context): string | null =>
  /\/(RE[0-9a-f]{32})\.wav$/.exec(new URL(c.req.url).pathname)?.[1] ?? null;

/** Lets audio be had without credentials, by a link that is good or where the operator allows it. */
export function openAudio(ports: Ports) {
  return createMiddleware<Env>(async (c, next) => {
    const sid = audioSid(c);
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (sid === null || !isRead) return await next();
    const accountSid = c.req.param("account") ?? "";
    const query = new URL(c.req.url).searchParams;
    if (!await isOpen({ accountSid, sid }, query, ports)) return await next();
    const account = await ports.accounts.get(accountSid);
    if (account === null) return await next();
    if (await standing(account, ports.accounts) !== "active") throw new Fault("accountInactive");
    return await answerAudio(c, { accountSid, sid }, ports);
  });
}

/** What Recordings have beyond the regular operations: the audio, at the Sid with `.wav`. */
export function recordingRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().get("/:sid", async (c, next) => {
    const sid = audioSid(c);
    if (sid === null) return await next();
    return await answerAudio(c, { accountSid: c.var.account.sid, sid }, ports);
  });
}

async function answerAudio(
  c: Context<Env>,
  { accountSid, sid }: { accountSid: string; sid: string },
  { records, blobs }: Ports,
): Promise<Response> {
  const recording = await records.recordings.get(accountSid, sid);
  const audio = recording && await blobs.get(accountSid, sid);
  if (audio === null) throw new Fault("notFound", `${sid}.wav`);
  c.header("Content-Type", "audio/wav");
  c.header("Content-Length", String(audio.size));
  c.header("Cache-Control", "private");
  if (c.req.method !== "HEAD") return c.body(audio.content);
  await audio.content.cancel();
  return c.body(null);
}
