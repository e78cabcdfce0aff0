import { tenantOf } from "../../core/accounts/tenant.ts";
import { Hono } from "hono";
import { isTest } from "../../core/accounts/access.ts";
import { placedBy } from "../../core/calls/placed_by.ts";
import {
  assertMayDeclare,
  validationCall,
  type ValidationWanted,
} from "../../core/calls/validation_call.ts";
import { refuseWithoutTaker } from "../../core/companions/companions.ts";
import { creation, newBase, paramsSchema } from "../../core/model/resource.ts";
import { outgoingCallerIds, ownedNumber } from "../../core/model/resources/outgoing_caller_ids.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { type Call, calls } from "../../core/model/resources/calls.ts";
import {
  validationParameters,
  validationRequestOf,
  validationRequests,
} from "../../core/model/resources/views/validation_requests.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(validationRequests, null);
const ownShape = shapeOf(outgoingCallerIds);
const { required = [], optional = [] } = outgoingCallerIds.create ?? {};
const declared = {
  ...outgoingCallerIds,
  schema: paramsSchema(outgoingCallerIds.fields, required, optional),
};
const shown = { forms: (call: Call) => shape.forms(validationRequestOf(call)) };

/** The operations of OutgoingCallerIds beyond the regular ones: a number is validated by a call. */
export function callerIdRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .post(
      "/",
      making(ports, async (c: Ctx) => {
        await assertMayDeclare(c.var, ports);
        const sent = await readParams(c, declared);
        const { country } = ports.settings.trunks;
        const phoneNumber = ownedNumber(String(sent.phoneNumber), country);
        const base = newBase(outgoingCallerIds, c.var.account.sid, ports);
        const change = creation(outgoingCallerIds, { ...sent, phoneNumber }, base);
        const into = keeping(c, ports.records.outgoingCallerIds, ownShape, ports);
        return answer(c, ownShape.forms(await into.insert(change)));
      }),
    )
    .post(
      "/ValidationRequests",
      making(ports, async (c: Ctx) => {
        const { account } = c.var;
        // The schema of these parameters makes it.
        const sent = await readParams(c, validationParameters) as unknown as ValidationWanted;
        if (!isTest(account)) {
          const wanted = { to: sent.phoneNumber, tenant: tenantOf(account) };
          await refuseWithoutTaker(wanted, ports);
        }
        const wanted = await validationCall(sent, account, ports);
        const fields = await placedBy(wanted, { kind: "voice", account }, ports);
        const change = creation(calls, fields, newBase(calls, account.sid, ports));
        const into = keeping(c, ports.records.calls, shown, ports);
        return answer(c, shown.forms(await into.insert(change as never)));
      }),
    );
}
