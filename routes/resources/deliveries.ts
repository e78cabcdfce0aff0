import { Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import { replay } from "../../core/webhooks/deliver.ts";
import type { Ports } from "../../core/ports/ports.ts";
import { deliveries, type Delivery, replayParams } from "../../core/resources/deliveries.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(deliveries);

/** The operation of Deliveries beyond the regular ones: sending one again. */
export function deliveryRoutes({ records, now }: Ports): Hono<Env> {
  return new Hono<Env>().on(["POST", "PUT"], "/:sid", async (c) => {
    const [accountSid, sid] = [c.var.account.sid, c.req.param("sid")];
    if (await records.deliveries.get(accountSid, sid) === null) throw new Fault("notFound", sid);
    await readParams(c, { schema: replayParams });
    const again = (delivery: Delivery) => replay(delivery, now());
    const delivery = await records.deliveries.update(accountSid, sid, again);
    return answer(c, shape.forms(delivery));
  });
}
