import { propagation } from "@opentelemetry/api";
import assert from "node:assert/strict";
import { outboundFetch } from "../../../../core/machine/adapters/outbound_fetch.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

Deno.test("a guarded request to a customer's server carries the traceparent of the work at hand", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ headers }) => new Response(headers.get("traceparent")),
  );
  propagation.setGlobalPropagator({
    inject: (_context, carrier, setter) => setter.set(carrier, "traceparent", traceparent),
    extract: (context) => context,
    fields: () => ["traceparent"],
  });
  try {
    const fetchOutside = outboundFetch({ mayReach: () => true, ownOrigin: "http://own.test" });
    const response = await fetchOutside(new Request(`http://127.0.0.1:${server.addr.port}`));

    assert.equal(await response.text(), traceparent);
  } finally {
    propagation.disable();
    await server.shutdown();
  }
});
