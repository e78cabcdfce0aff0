import { tenantOf } from "../../core/accounts/tenant.ts";
import { refuseWithoutTaker } from "../../core/companions/companions.ts";
import { Hono } from "hono";
import { placedBy } from "../../core/calls/placed_by.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { newBase } from "../../core/model/resource.ts";
import { calls } from "../../core/model/resources/calls.ts";
import { pushed, pushParameters } from "../../core/messages/push_ussd.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(calls);
/** Starts a USSD dialogue with a subscriber; responds with its Call. */
export function ussdPushRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().post(
    "/",
    making(ports, async (c: Ctx) => {
      const sent = await readParams(c, pushParameters);
      const accountSid = c.var.account.sid;
      await refuseWithoutTaker({ to: sent.to, tenant: tenantOf(c.var.account) }, ports);
      const fields = await placedBy(sent, { kind: "ussd", account: c.var.account }, ports);
      const base = newBase(calls, accountSid, ports);
      const into = keeping(c, ports.records.calls, shape, ports);
      return answer(c, shape.forms(await into.insert(pushed(fields, base))));
    }),
  );
}
