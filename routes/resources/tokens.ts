import { Hono } from "hono";
import type { Ports } from "../../core/model/ports/ports.ts";
import { newToken, tokenParameters, tokens } from "../../core/model/resources/views/tokens.ts";
import { sipGrantOf } from "../../core/accounts/sip_grant.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(tokens, null);

/** Responds with ICE servers and credentials that end, for TURN and for a Client; none are stored. */
export function tokenRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().post("/", async (c) => {
    const { sid } = c.var.account;
    const sent = await readParams(c, tokenParameters) as { login?: string; tokenTtl?: number };
    const sip = sent.login === undefined ? undefined : await sipGrantOf(sid, sent.login, ports);
    const token = newToken(sid, sent, ports, sip);
    c.header("Cache-Control", "no-store");
    return answer(c, shape.forms(token));
  });
}
