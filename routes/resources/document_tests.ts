import { Hono } from "hono";
import { tenantOf } from "../../core/accounts/tenant.ts";
import { createTenantGate } from "../../core/accounts/tenant_gate.ts";
import {
  documentTestParameters,
  type DocumentTestWanted,
  tryDocument,
} from "../../core/trials/try_document.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { documentTests } from "../../core/model/resources/views/document_tests.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(documentTests, null);

/**
 * Requests markup to try it, few at once of a tenant: its server may take 15 s. Responds with what
 * it brought and would do, which is not stored.
 */
export function documentTestRoutes(ports: Ports): Hono<Env> {
  const { pass } = createTenantGate({
    what: "tests of markup",
    most: 32,
    ofTenant: 8,
    waiting: 32,
    waitMs: 15_000,
  });
  return new Hono<Env>().post("/", async (c) => {
    const sent = await readParams(c, documentTestParameters) as DocumentTestWanted;
    const { account, caller } = c.var;
    const { signal } = c.req.raw;
    const tried = await pass(tenantOf(caller), () => tryDocument(sent, { account, signal }, ports));
    return answer(c, shape.forms(tried));
  });
}
