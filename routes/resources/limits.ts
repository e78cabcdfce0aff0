import { Hono } from "hono";
import { limitsOf } from "../../core/account_limits/limits_of.ts";
import { setLimits } from "../../core/account_limits/set_limits.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import {
  accountLimits,
  limitParameters,
  type LimitsSent,
} from "../../core/model/resources/views/account_limits.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(accountLimits, null);

/** The limits of an account, for itself and for the accounts above it, which set them. */
export function limitRoutes(ports: Ports): Hono<Env> {
  const answerLimits = async (c: Ctx) =>
    answer(c, shape.forms(await limitsOf(c.var.account.sid, ports)));
  return new Hono<Env>()
    .get("/", answerLimits)
    .on(["POST", "PUT"], "/", async (c) => {
      const sent = await readParams(c, { schema: limitParameters });
      await setLimits(c.var, sent as LimitsSent, ports);
      return await answerLimits(c);
    });
}
