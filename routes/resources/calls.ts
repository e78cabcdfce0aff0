import { tenantOf } from "../../core/accounts/tenant.ts";
import { refuseWithoutTaker } from "../../core/companions/companions.ts";
import { type Context, Hono } from "hono";
import { isTest } from "../../core/accounts/access.ts";
import { modifyCall, modifyParams } from "../../core/reports/modify_call.ts";
import { progressOf } from "../../core/calls/call_progress.ts";
import { monitorCall, type MonitorRequest, monitorsOf } from "../../core/calls/monitor.ts";
import { monitorParams } from "../../core/model/resources/internal/monitoring.ts";
import { placedBy, placeParameters } from "../../core/calls/placed_by.ts";
import { mutedCall, mutedCalls } from "../../core/calls/muted_call.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { AnyCollection } from "../../core/model/store.ts";
import { withLinks } from "../../core/recordings/link.ts";
import { type AnyResource, creation, newBase } from "../../core/model/resource.ts";
import { calls } from "../../core/model/resources/calls.ts";
import { notifications } from "../../core/model/resources/notifications.ts";
import { recordingsWith } from "../../core/model/resources/recordings.ts";
import { answer, answerJson } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";
import { requesterOf } from "../http/requester.ts";
import { sipTrace } from "./sip_trace.ts";
import { answerSublist } from "../http/sublists.ts";

export const callShape = shapeOf(calls);
const mutedShape = shapeOf(mutedCalls);
const modification = {
  schema: modifyParams,
  aliases: calls.aliases ?? {},
  faults: { url: "badUrl" },
} as const;

/**
 * The operations of Calls beyond the regular ones: applications in place of a Url, live
 * modification, and lists below one call.
 */
export function callRoutes(ports: Ports): Hono<Env> {
  const recordings = recordingsWith(ports.settings);
  return new Hono<Env>()
    .post(
      "/",
      making(ports, async (c: Ctx) => {
        const accountSid = c.var.account.sid;
        const sent = await readParams(c, placeParameters);
        if (!isTest(c.var.account)) {
          await refuseWithoutTaker({ to: sent.to, tenant: tenantOf(c.var.account) }, ports);
        }
        const fields = await placedBy(sent, { kind: "voice", account: c.var.account }, ports);
        const base = newBase(calls, accountSid, ports);
        const records: AnyCollection = ports.records.calls;
        const into = keeping(c, records, callShape, ports);
        return answer(c, callShape.forms(await into.insert(creation(calls, fields, base))));
      }),
    )
    .on(["POST", "PUT"], "/:sid", async (c) => {
      const wanted = modifyParams.parse(await readParams(c, modification));
      const requester = requesterOf(c, c.var.account.sid);
      const named = { accountSid: c.var.account.sid, callSid: c.req.param("sid"), requester };
      const call = await modifyCall(named, wanted, ports);
      const shape = wanted.mute === undefined ? callShape : mutedShape;
      const shown = wanted.mute === undefined ? call : await mutedCall(call, wanted.mute, ports);
      return answer(c, shape.forms(shown));
    })
    .get("/:sid/Progress", async (c) => {
      const sid = c.req.param("sid");
      const call = await ports.records.calls.get(c.var.account.sid, sid);
      if (call === null) throw new Fault("notFound", sid);
      return answerJson(c, progressOf(call));
    })
    .get("/:sid/Monitors", async (c) => {
      const sid = c.req.param("sid");
      const call = await ports.records.calls.get(c.var.account.sid, sid);
      if (call === null) throw new Fault("notFound", sid);
      return answerJson(c, monitorsOf(call.monitors));
    })
    .post(
      "/:sid/Monitors",
      making(ports, async (c: Context<Env, "/:sid/Monitors">) => {
        const request = await monitorRequest(c, ports);
        return answer(c, callShape.forms(await monitorCall(c.req.param("sid"), request, ports)));
      }),
    )
    .get("/:sid/SipTrace", sipTrace("json", ports))
    .get("/:sid/SipTrace.pcap", sipTrace("pcap", ports))
    .get("/:sid/SipTrace.txt", sipTrace("txt", ports))
    .get("/:sid/Notifications", listed(notifications, ports.records.notifications, ports))
    .get("/:sid/Recordings", listed(recordings, withLinks(ports.records.recordings, ports), ports));
}

/** A request to listen to a call or a conference. */
export async function monitorRequest(c: Ctx, ports: Ports): Promise<MonitorRequest> {
  const sent = await readParams(c, { schema: monitorParams });
  const { to } = monitorParams.parse(sent);
  const records: AnyCollection = ports.records.calls;
  // The calls of this collection.
  const into = keeping(c, records, callShape, ports) as MonitorRequest["into"];
  const { account, caller } = c.var;
  return { account, caller, to, into };
}

/** The records of a resource that belong to one call. */
function listed(definition: AnyResource, records: AnyCollection, ports: Ports) {
  const shape = shapeOf(definition);
  return async (c: Context<Env, "/:sid">) => {
    const accountSid = c.var.account.sid;
    const sid = c.req.param("sid");
    if (await ports.records.calls.get(accountSid, sid) === null) throw new Fault("notFound", sid);
    const address = `${accountAddress(accountSid)}/Calls/${sid}/${definition.path}`;
    const of = { field: "callSid", sid };
    return await answerSublist(c, { definition, shape, records, address, of }, ports);
  };
}
