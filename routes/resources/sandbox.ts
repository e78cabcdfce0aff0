import { Hono } from "hono";
import type { Ports } from "../../core/model/ports/ports.ts";
import { paramsSchema } from "../../core/model/resource.ts";
import { type Sandbox, sandboxes as definition } from "../../core/model/resources/sandboxes.ts";
import { sandboxOf } from "../../core/accounts/sandbox.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";

const shape = shapeOf(definition, ({ accountSid }) => `${accountAddress(accountSid)}/Sandbox`);
const parameters = {
  ...definition,
  schema: paramsSchema(definition.fields, [], definition.update ?? []),
};

const answerSandbox = (c: Ctx, sandbox: Sandbox): Response => answer(c, shape.forms(sandbox));

/** The one Sandbox of an account. */
export function sandboxRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .get("/", async (c) => answerSandbox(c, await sandboxOf(c.var.account.sid, ports)))
    .post("/", async (c) => {
      const sent = await readParams(c, parameters);
      return answerSandbox(c, await sandboxOf(c.var.account.sid, ports, sent));
    });
}
