import assert from "node:assert/strict";
import { mock } from "node:test";
import { log, maskNumbers, setLog } from "../../../../core/machine/process/log.ts";

/** What is written while something is done, each line as JSON. */
function written(act: () => void): Record<string, unknown>[] {
  const parts: string[] = [];
  const write = mock.method(Deno.stderr, "writeSync", (bytes: Uint8Array) => {
    parts.push(new TextDecoder().decode(bytes));
    return bytes.length;
  });
  try {
    act();
  } finally {
    write.mock.restore();
    setLog({ process: "command", level: "info", showsNumbers: false });
  }
  return parts.join("").trimEnd().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

Deno.test("log() writes time, level, process, event and fields as one line of JSON", () => {
  const [line] = written(() => {
    setLog({ process: "service" });
    log("A call\nhas ended", { level: "info", leg: "CA1", accountSid: "AC1", durationS: 3 });
  });

  const { time, ...rest } = line!;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(rest, {
    level: "info",
    process: "service",
    event: "A call\nhas ended",
    call_sid: "CA1",
    account_sid: "AC1",
    duration_s: 3,
  });
});

Deno.test("log() takes a line with an error for an error, and any other for a warning", () => {
  const lines = written(() => {
    log("Cannot read", { error: new Error("broken", { cause: "disk" }) });
    log("Dropped a report");
  });

  assert.deepEqual(lines.map(({ level }) => level), ["error", "warn"]);
  assert.match(String(lines[0]!.error), /broken[^]*<- disk$/);
});

Deno.test("log() leaves out what is less urgent than LOG_LEVEL", () => {
  const lines = written(() => {
    setLog({ level: "warn" });
    log("A", { level: "error" });
    log("B", { level: "info" });
    log("C", { level: "debug" });
    log("D");
  });

  assert.deepEqual(lines.map(({ event }) => event), ["A", "D"]);
});

Deno.test("log() masks phone numbers in every field, unless LOG_PII shows them", () => {
  const fields = { to: "+4930123456", error: new Error("no route to sip:442079460000@x.test") };
  const [masked] = written(() => log("Cannot place a call", fields));
  const [shown] = written(() => {
    setLog({ showsNumbers: true });
    log("Cannot place a call", fields);
  });

  assert.equal(masked!.to, "+49…56");
  assert.match(String(masked!.error), /no route to sip:44…00@x\.test/);
  assert.equal(shown!.to, "+4930123456");
});

Deno.test("maskNumbers() leaves times, Sids, addresses and ports as they are", () => {
  const kept = [
    "2026-11-24T01:00:00.000Z",
    "CA01a20b12405f3bd4ea3e3807c5e5fbd1",
    "192.0.2.10:30002",
    "sip:alice@example.com:5060",
    "Wed, 31 Jan 2024 12:00:00 +0000",
  ];
  assert.deepEqual(kept.map(maskNumbers), kept);
  assert.equal(
    maskNumbers("/AvailablePhoneNumbers/%2B14155550123"),
    "/AvailablePhoneNumbers/%2B14…23",
  );
});
