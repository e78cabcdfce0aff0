import { Hono } from "hono";
import { identifiedFetch } from "../../../core/machine/net/identified_fetch.ts";
import type { ConsoleEnv } from "../frame/env.ts";

/** Headers of a player's request, and of the answer, that pass through. */
const asked = ["Range", "If-Range", "If-None-Match"];
const answered = ["Content-Type", "Content-Length", "Content-Range", "Accept-Ranges", "ETag"];

/** The audio of a recording, for the player of a page: ranges too. */
export function recordingAudio(): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/:sid{RE[0-9a-f]{32}}/audio", async (c) => {
    const headers = new Headers();
    for (const name of asked) {
      const value = c.req.header(name);
      if (value !== undefined) headers.set(name, value);
    }
    const kept = await c.var.api.raw(`Recordings/${c.req.param("sid")}.wav`, headers);
    // A page may load nothing from object storage: its policy allows this service alone.
    const elsewhere = kept.headers.get("Location");
    const audio = elsewhere === null ? kept : await identifiedFetch(elsewhere, { headers });
    for (const name of answered) {
      const value = audio.headers.get(name);
      if (value !== null) c.header(name, value);
    }
    c.status(audio.status as 200); // A status of the interface.
    return audio.body === null ? c.body(null) : c.body(audio.body);
  });
}
