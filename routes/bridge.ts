import { Hono } from "hono";
import {
  bridgeHeader,
  bridgeLimits,
  credentialsQuery,
  heartbeat,
  report,
  verifyBridge,
} from "../core/bridge.ts";
import { handleReport } from "../core/calls/handle_report.ts";
import { takeHeartbeat } from "../core/calls/sweep.ts";
import { credentialsOf } from "../core/credentials.ts";
import type { Ports } from "../core/ports.ts";

/** What companions ask of the service (core/bridge.ts); mounted at /bridge, signed with the secret. */
export function bridge(ports: Ports, secret: string): Hono {
  const app = new Hono();

  app.use(async (c, next) => {
    if (Number(c.req.header("content-length") ?? 0) > bridgeLimits.bodyBytes) {
      return c.json({ message: "Cannot read so large a body" }, 413);
    }
    const body = await c.req.text();
    const signed = { now: ports.now(), method: c.req.method, path: c.req.path, body };
    if (!await verifyBridge(secret, c.req.header(bridgeHeader), signed)) {
      return c.json({ message: "Cannot verify the signature" }, 401);
    }
    await next();
  });

  app.post("/report", async (c) => {
    const wanted = parse(report, await c.req.text());
    if (wanted === null) return c.json({ message: "Cannot read the report" }, 400);
    const { signal } = c.req.raw;
    const script = await handleReport(wanted, ports, signal).catch((error) => {
      if (signal.aborted) return []; // The companion no longer waits: its leg has ended.
      throw error;
    });
    return c.json({ script });
  });

  app.post("/credentials", async (c) => {
    const query = parse(credentialsQuery, await c.req.text());
    if (query === null) return c.json({ message: "Cannot read the query" }, 400);
    return c.json({ credentials: await credentialsOf(query.login, ports) });
  });

  app.post("/heartbeat", async (c) => {
    const beat = parse(heartbeat, await c.req.text());
    if (beat === null) return c.json({ message: "Cannot read the heartbeat" }, 400);
    await takeHeartbeat(beat, ports);
    return c.json({});
  });
  return app;
}

function parse<T>(schema: { parse(value: unknown): T }, body: string): T | null {
  try {
    return schema.parse(JSON.parse(body));
  } catch {
    return null;
  }
}
