import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { skipped, startTraceCollector } from "../support/service/trace_collector.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";

const name =
  "one trace leads from POST Calls over both processes to the callbacks, and to a collector";

Deno.test({ name: name + skipped, ignore: skipped !== "", fn: tracesOneCall });

async function tracesOneCall(): Promise<void> {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Dial><Client>bob</Client></Dial></Response>");
  await using collector = await startTraceCollector();
  await using system = await startSystem({
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: "200",
      ALLOW_PRIVATE_URLS: "true",
    },
  });
  const [alice, bob] = [await system.phone("alice"), await system.phone("bob")];
  const { baseUrl, accountSid, authToken } = system;
  const placed = await fetch(`${baseUrl}/2012-04-24/Accounts/${accountSid}/Calls.json`, {
    method: "POST",
    headers: {
      Authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}`,
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: new URLSearchParams({
      From: "me",
      To: "client:alice",
      Url: `${app.url}/voice`,
      StatusCallback: `${app.url}/events`,
    }),
  });
  assert.equal(placed.status, 200);
  await placed.body?.cancel();
  const ringing = await alice.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  (await bob.nextCall()).decline(486);
  await dialog.ended;
  await app.asked("/events");

  const has = (service: string, name: string, count = 1) =>
    collector.spans.filter((span) =>
      span.traceId === traceId && span.service === service && span.name === name
    ).length >= count;
  const wanted: [service: string, name: string, count?: number][] = [
    ["switchboard-service", "POST /2012-04-24/Accounts/:account/Calls"],
    ["switchboard-service", "job call.dial"],
    ["switchboard-companion", "run script"],
    ["switchboard-companion", "INVITE", 2],
    ["switchboard-service", "report answered"],
    ["switchboard-service", "POST"],
    ["switchboard-service", "job webhook.deliver"],
  ];
  await eventually("all spans are exported", () => wanted.every((one) => has(...one)))
    .catch((error) => {
      const shown = collector.spans.map(({ service, name }) => `${service} ${name}`);
      throw new Error([...new Set(shown)].sort().join("\n"), { cause: error });
    });
  for (const path of ["/voice", "/events"]) {
    const { headers } = app.requests.find((request) => request.path === path)!;
    assert.match(headers.get("traceparent") ?? "", new RegExp(`^00-${traceId}-`), path);
  }
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  const orphans = () => {
    const known = new Set(["b7ad6b7169203331", ...ofTrace().map(({ spanId }) => spanId)]);
    return ofTrace().filter(({ parentSpanId }) => !known.has(parentSpanId));
  };
  // Each process exports its spans when they ended: that of a request may come before the one above it.
  await eventually("each span is below another one", () => orphans().length === 0)
    .catch(() => assert.deepEqual(orphans(), []));

  const { texts } = ofTrace().find(({ name }) => name.startsWith("POST /2012-04-24/"))!;
  assert.equal(texts["switchboard.request_id"], placed.headers.get("X-Request-Id"));
}
