import { Hono } from "hono";
import {
  documentTestParameters,
  type DocumentTestWanted,
  tryDocument,
} from "../../core/document_tests/try_document.ts";
import type { Ports } from "../../core/ports/ports.ts";
import { documentTests } from "../../core/resources/views/document_tests.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(documentTests, null);

/** Requests markup to try it; responds with what it brought and would do, which is not stored. */
export function documentTestRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().post("/", async (c) => {
    const sent = await readParams(c, documentTestParameters) as DocumentTestWanted;
    const { account } = c.var;
    const tried = await tryDocument(sent, { account, signal: c.req.raw.signal }, ports);
    return answer(c, shape.forms(tried));
  });
}
