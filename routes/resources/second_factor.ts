import { Hono } from "hono";
import { checkPermission } from "../../core/accounts/access.ts";
import { Fault } from "../../core/base/faults.ts";
import { audit } from "../../core/accounts/audit.ts";
import { guardOf } from "../../core/accounts/session_guard.ts";
import { resetFactor } from "../../core/accounts/second_factor.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { secondFactorOf, secondFactors } from "../../core/model/resources/views/second_factors.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(secondFactors, null);

/**
 * The second factor of an account's sign-ins at the console. An account above it turns it off, for the
 * owner who has lost it; the root account, which has none above it, does so itself.
 */
export function secondFactorRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .get("/", async (c) => {
      const { sid } = c.var.account;
      const shown = secondFactorOf(sid, await guardOf(sid, ports));
      return answer(c, shape.forms(shown));
    })
    .delete("/", async (c) => {
      const { account, caller } = c.var;
      checkPermission(caller, "resetSecondFactors");
      const isOwn = account.sid === caller.sid;
      if (isOwn && account.ancestors.length > 0) {
        throw new Fault(
          "denied",
          "an AuthToken alone does not turn the account's own second factor off: " +
            "an account above it can, and the console can with a code",
        );
      }
      await resetFactor(account.sid, ports);
      await note(c, ports);
      return c.body(null, 204);
    });
}

/** Writes the audit log; the console, which asks within the process, writes its own. */
async function note(c: Ctx, ports: Ports): Promise<void> {
  const client = (c.env as Env["Bindings"] | undefined)?.client;
  if (client === undefined) return;
  const { account, caller, requestId } = c.var;
  await audit({
    from: client,
    userAgent: c.req.header("User-Agent") ?? "",
    accountSid: account.sid,
    actor: caller,
    action: "second-factor-reset",
    status: 204,
    requestId,
  }, ports);
}
