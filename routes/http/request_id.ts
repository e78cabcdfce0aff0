import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { withOrigin } from "../../core/base/origin.ts";
import { failSpan, traced } from "../../core/base/tracing.ts";
import type { Env } from "./env.ts";

/**
 * Gives every request an id for its response, the log and what comes of the request: the client's, or
 * a new one. The request is a span of the client's trace, where it names one.
 */
export const requestId = createMiddleware<Env>(async (c, next) => {
  const sent = c.req.header("X-Request-Id") ?? "";
  const id = /^[A-Za-z0-9._-]{8,64}$/.test(sent) ? sent : crypto.randomUUID();
  c.set("requestId", id);
  c.header("X-Request-Id", id);
  const { method } = c.req;
  const traceparent = c.req.header("traceparent");
  const attributes = { "http.request.method": method, "switchboard.request_id": id };
  await withOrigin(
    { requestId: id, ...traceparent && { traceparent } },
    () =>
      traced(method, { kind: "server", attributes }, async (span) => {
        await next();
        const route = routePath(c, -1);
        span.updateName(`${method} ${route}`);
        span.setAttributes({ "http.route": route, "http.response.status_code": c.res.status });
        if (c.res.status >= 500) failSpan(span);
      }),
  );
});
