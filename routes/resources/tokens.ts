import { Hono } from "hono";
import type { Ports } from "../../core/ports/ports.ts";
import { newToken, tokenParameters, tokens } from "../../core/resources/views/tokens.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(tokens, null);

/** Responds with ICE servers and time-limited TURN credentials, which are not stored. */
export function tokenRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().post("/", async (c) => {
    const token = newToken(c.var.account.sid, await readParams(c, tokenParameters), ports);
    c.header("Cache-Control", "no-store");
    return answer(c, shape.forms(token));
  });
}
