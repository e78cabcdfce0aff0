import { Hono } from "hono";
import { modifyCall, modifyParams } from "../core/calls/modify_call.ts";
import { Fault } from "../core/faults.ts";
import type { Ports, Query } from "../core/ports.ts";
import { calls } from "../core/resources/calls.ts";
import { notifications } from "../core/resources/notifications.ts";
import { answer } from "./answer.ts";
import type { Env } from "./env.ts";
import { answerList } from "./lists.ts";
import { readParams } from "./params.ts";
import { accountAddress, shapeOf } from "./represent.ts";

const callShape = shapeOf(calls);
const notificationShape = shapeOf(notifications);
const modification = {
  schema: modifyParams,
  aliases: calls.aliases ?? {},
  faults: { url: "badUrl" },
} as const;

/** What Calls have beyond the regular operations: live modification and lists below one call. */
export function callRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .on(["POST", "PUT"], "/:sid", async (c) => {
      const wanted = modifyParams.parse(await readParams(c, modification));
      const named = { accountSid: c.var.account.sid, callSid: c.req.param("sid") };
      const call = await modifyCall(named, wanted, ports);
      return answer(c, { json: () => callShape.json(call), xml: () => callShape.xml(call) });
    })
    .get("/:sid/Notifications", async (c) => {
      const accountSid = c.var.account.sid;
      const callSid = c.req.param("sid");
      const call = await ports.records.calls.get(accountSid, callSid);
      if (call === null) throw new Fault("notFound", callSid);
      return answerList(c, {
        definition: notifications,
        shape: notificationShape,
        address: `${accountAddress(accountSid)}/Calls/${callSid}/Notifications`,
        read: (query: Query) => {
          const where = [...query.where, {
            field: "callSid",
            op: "equals" as const,
            value: callSid,
          }];
          return ports.records.notifications.list(accountSid, { ...query, where });
        },
      }, ports);
    });
}
