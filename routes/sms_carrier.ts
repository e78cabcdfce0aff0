import { type Context, Hono } from "hono";
import { isSameSecret } from "../core/accounts/access.ts";
import { readText } from "../core/base/exchange.ts";
import { limits } from "../core/base/limits.ts";
import {
  aggregatorMessage,
  aggregatorReceipt,
  takeAggregatorMessage,
  takeAggregatorReceipt,
} from "../core/messages/aggregator.ts";
import type { Ports } from "../core/model/ports/ports.ts";

/**
 * Reports of the operator's HTTP aggregator: POSTs of JSON with a bearer token. The response is 200
 * after the commit. `/messages` delivers a text to a number, `/receipts` a delivery report.
 */
export function smsCarrier(ports: Ports, token: string): Hono {
  const refused = {
    unknown: [404, "Nobody has the number"],
    forbidden: [403, "Its account is not active"],
  } as const;
  return new Hono()
    .use(async (c, next) => {
      const given = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
      if (isSameSecret(given, token)) return await next();
      c.header("WWW-Authenticate", "Bearer");
      return refuse(c, 401, "Cannot accept the bearer token");
    })
    .post("/messages", async (c) => {
      const sent = await contentOf(c, aggregatorMessage);
      if (sent instanceof Response) return sent;
      const taken = await takeAggregatorMessage(sent, ports);
      if (taken === "taken") return c.json({ taken: true });
      const [status, message] = refused[taken];
      return refuse(c, status, message);
    })
    .post("/receipts", async (c) => {
      const sent = await contentOf(c, aggregatorReceipt);
      if (sent instanceof Response) return sent;
      const isKnown = await takeAggregatorReceipt(sent, ports);
      return isKnown
        ? c.json({ taken: true })
        : refuse(c, 404, "No message waits for this receipt");
    });
}

interface Schema<T> {
  safeParse(content: unknown): {
    data?: T | undefined;
    error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined;
  };
}

/** The content of a request, or the response that refuses it. */
async function contentOf<T>(c: Context, schema: Schema<T>): Promise<T | Response> {
  const { text, isWhole } = await readText(c.req.raw, limits.aggregatorAnswerBytes);
  if (!isWhole) return refuse(c, 413, "Cannot read so large a body");
  const { data, error } = schema.safeParse(jsonOf(text));
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  const about = issue?.path.join(".") || "The body";
  return refuse(c, 400, `${about}: ${issue?.message ?? "is not valid"}`);
}

const refuse = (c: Context, status: 400 | 401 | 403 | 404 | 413, message: string): Response =>
  c.json({ message }, status);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
