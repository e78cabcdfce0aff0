import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";

type Line = Record<string, unknown> & { event: string };

/** The log lines of all processes so far. */
const linesOf = ({ output }: System): Line[] =>
  output().split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));

const lineOf = (system: System, event: string, fits: (line: Line) => boolean = () => true) =>
  eventually(
    () => `${event} in ${system.output()}`,
    () => linesOf(system).find((line) => line.event === event && fits(line)),
  );

Deno.test("the log has requests, registrations, ended calls and webhooks given up", async () => {
  await using system = await startSystem({
    env: { LOG_REQUESTS: "1", WEBHOOK_MAX_ATTEMPTS: "1" },
  });
  const account = system.accountSid;
  const phone = await system.phone("alice");
  const registered = await lineOf(system, "A Client has registered");

  const { sid } = await system.post("Calls.json", {
    From: "client:alice",
    To: "+442079460000",
    Url: `${system.baseUrl}/demo/welcome`,
    StatusCallback: "http://127.0.0.1:9/events",
  });
  const ended = await lineOf(system, "A call has ended", (line) => line.call_sid === sid);
  const given = await lineOf(system, "Gave up a webhook", (line) => line.call_sid === sid);
  const request = await lineOf(system, "Request", ({ method }) => method === "POST");
  await phone.close();
  const gone = await lineOf(system, "A Client is registered no more");

  assert.equal(registered.login, "alice");
  assert.equal(gone.login, "alice");
  assert.equal(ended.to, "+44…00");
  assert.deepEqual([ended.account_sid, ended.status, ended.level], [account, "failed", "info"]);
  assert.deepEqual([given.account_sid, given.level, given.process], [account, "warn", "service"]);
  assert.match(String(given.delivery_sid), /^[A-Z]{2}[0-9a-f]{32}$/);
  assert.deepEqual([request.account_sid, request.status], [account, 200]);
  assert.match(String(request.request_id), /^[\w.-]{8,64}$/);
  for (const { time, level, process } of linesOf(system)) {
    assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.ok(["error", "warn", "info"].includes(String(level)));
    assert.ok(["supervisor", "service", "companion", "speech process"].includes(String(process)));
  }
});

Deno.test("LOG_LEVEL=error logs errors only, and LOG_REQUESTS logs no request unless set", async () => {
  await using system = await startSystem({ env: { LOG_LEVEL: "error" } });
  const phone = await system.phone("alice");
  await system.post("Calls.json", { From: "welcome", To: "client:nobody", Url: system.baseUrl });
  await phone.close();
  assert.equal(await system.stop(), 0);

  assert.deepEqual(linesOf(system).filter(({ level }) => level !== "error"), []);
});
