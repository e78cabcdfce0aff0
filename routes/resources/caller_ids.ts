import { Hono } from "hono";
import { isTest } from "../../core/accounts/access.ts";
import { placedBy } from "../../core/calls/placed_by.ts";
import {
  assertMayDeclare,
  validationCall,
  type ValidationWanted,
} from "../../core/calls/validation_call.ts";
import { refuseWithoutTaker } from "../../core/companions/companions.ts";
import { creation, newBase } from "../../core/model/resource.ts";
import type { Ports } from "../../core/ports/ports.ts";
import { type Call, calls } from "../../core/resources/calls.ts";
import {
  validationParameters,
  validationRequestOf,
  validationRequests,
} from "../../core/resources/views/validation_requests.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(validationRequests, null);
const shown = { forms: (call: Call) => shape.forms(validationRequestOf(call)) };

/** The operations of OutgoingCallerIds beyond the regular ones: a number is validated by a call. */
export function callerIdRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .post("/", async (c, next) => {
      await assertMayDeclare(c.var, ports);
      await next(); // The regular operation adds the number.
    })
    .post(
      "/ValidationRequests",
      making(ports, async (c: Ctx) => {
        const { account } = c.var;
        // The schema of these parameters makes it.
        const sent = await readParams(c, validationParameters) as unknown as ValidationWanted;
        if (!isTest(account)) await refuseWithoutTaker(sent.phoneNumber, ports);
        const wanted = await validationCall(sent, account, ports);
        const fields = await placedBy(wanted, { kind: "voice", account }, ports);
        const change = creation(calls, fields, newBase(calls, account.sid, ports));
        const into = keeping(c, ports.records.calls, shown, ports);
        return answer(c, shown.forms(await into.insert(change as never)));
      }),
    );
}
