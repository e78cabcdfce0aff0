import { Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import { audit } from "../../core/accounts/audit.ts";
import { laneOf, replay } from "../../core/webhooks/deliver.ts";
import {
  deliveryReplay,
  deliveryReplays,
  failedWithin,
  hourFrom,
  replayFailed,
  replayFailedParameters,
} from "../../core/webhooks/replay_failed.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { deliveries, type Delivery, replayParams } from "../../core/model/resources/deliveries.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(deliveries);
const replayShape = shapeOf(deliveryReplays, null);

/** The operations of Deliveries beyond the regular ones: sending one, or those of an hour, again. */
export function deliveryRoutes(ports: Ports): Hono<Env> {
  const { records, now } = ports;
  return new Hono<Env>().post("/", (c) => replayHour(c, ports)).on(
    ["POST", "PUT"],
    "/:sid",
    async (c) => {
      const [accountSid, sid] = [c.var.account.sid, c.req.param("sid")];
      const found = await records.deliveries.get(accountSid, sid);
      if (found === null) throw new Fault("notFound", sid);
      await readParams(c, { schema: replayParams });
      // One that waits for its next attempt is sent now, by the same job.
      const waits = found.status === "queued" && await ports.jobs.hurry(laneOf(found), sid);
      if (waits) return answer(c, shape.forms(found));
      const again = (delivery: Delivery) => replay(delivery, now());
      const delivery = await records.deliveries.update(accountSid, sid, again);
      return answer(c, shape.forms(delivery));
    },
  );
}

/** Has the failed Deliveries of an hour sent again by a job. It is committed with its audit entry. */
async function replayHour(c: Ctx, ports: Ports): Promise<Response> {
  const accountSid = c.var.account.sid;
  const { startTime } = await readParams(c, replayFailedParameters);
  const hour = hourFrom(String(startTime));
  const query = { where: failedWithin(hour), skip: 0, limit: 1 };
  const { total } = await ports.records.deliveries.list(accountSid, query);
  await audit({
    from: (c.env as Env["Bindings"] | undefined)?.client ?? "",
    userAgent: c.req.header("User-Agent") ?? "",
    accountSid,
    actor: c.var.caller,
    action: "replay-failed",
    target: deliveries.path,
    parameters: [["StartTime", String(startTime)]],
    status: 200,
    requestId: c.var.requestId,
    jobs: [replayFailed({ accountSid, ...hour, madeAt: ports.now() })],
  }, ports);
  return answer(c, replayShape.forms(deliveryReplay(accountSid, hour, total)));
}
