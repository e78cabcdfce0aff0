import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";

const wanted = { From: "+15550001", To: "+15550002", Body: "hello" };
Deno.test("POST /SMS/Messages answers with a message that is being sent", async () => {
  using app = await startApp();

  const answer = (await app.root.post("SMS/Messages.json", wanted)).json();

  assert.deepEqual(
    [answer.status, answer.direction, answer.date_sent, answer.body],
    ["sending", "outbound-api", null, "hello"],
  );
});

Deno.test("POST /SMS/Messages answers the specific code of an error", async () => {
  using app = await startApp();
  const cases: [Record<string, string | string[]>, number, string][] = [
    [{ Body: "" }, 21602, "Body must not be empty"],
    [{ Body: "x".repeat(161) }, 21605, "Body must have at most 160 characters"],
    [{ Body: ["a", "b"] }, 21602, "Body must be given once"],
    [{ To: "" }, 21211, "To must not be empty"],
    [{ To: "15550002" }, 21211, "To must be a number in E.164 form"],
    [{ To: "+0155500" }, 21211, "To must be a number in E.164 form"],
    [{ To: "client:" }, 21211, "To must be a number in E.164 form"],
    [{ To: "alice" }, 21211, "To must be a number in E.164 form"],
    [{ From: "" }, 21212, "From must not be empty"],
    [{ From: "15550001999" }, 21212, "From must be a number in E.164 form"],
    [{ From: "client:nobody" }, 21212, "From must be a number in E.164 form"],
    [{ StatusCallback: "nowhere" }, 20001, "StatusCallback must be an absolute"],
    [{ StatusCallbackMethod: "PUT" }, 20001, "StatusCallbackMethod must be one of GET, POST"],
  ];

  for (const [changes, code, message] of cases) {
    const answer = await app.root.post("SMS/Messages.json", { ...wanted, ...changes });
    assert.equal(answer.status, 400);
    assert.equal(answer.json().code, code, answer.text);
    assert.ok(answer.json().message.includes(message), answer.text);
  }
  const { Body: _, ...bodiless } = wanted;
  assert.equal((await app.root.post("SMS/Messages.json", bodiless)).json().code, 21602);
  assert.equal((await app.root.get("SMS/Messages.json")).json().total, 0);
});

Deno.test("a Body is counted in characters, not in units of UTF-16", async () => {
  using app = await startApp();

  const body = "😀".repeat(160);
  assert.equal((await app.root.post("SMS/Messages", { ...wanted, Body: body })).status, 200);
  const longer = await app.root.post("SMS/Messages.json", { ...wanted, Body: body + "!" });
  assert.equal(longer.json().code, 21605);
});

Deno.test("From may be a short code or a Client of the account, not of another", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  await app.root.post("Clients", { Login: "alice", Password: "secret" });
  await other.post("Clients", { Login: "eve", Password: "secret" });

  for (const From of ["12345", "client:alice", "alice"]) {
    assert.equal((await app.root.post("SMS/Messages", { ...wanted, From })).status, 200, From);
  }
  const foreign = await app.root.post("SMS/Messages.json", { ...wanted, From: "client:eve" });
  assert.equal(foreign.json().code, 21212);
});

Deno.test("under STRICT_SMS_FROM only senders of the account are accepted", async () => {
  using app = await startApp();
  Object.assign(app.ports.settings, { strictSmsFrom: true, smsShortCodes: ["12345"] });

  assert.equal((await app.root.post("SMS/Messages", { ...wanted, From: "12345" })).status, 200);
  for (const From of ["+15550001", "54321"]) {
    const answer = await app.root.post("SMS/Messages.json", { ...wanted, From });
    assert.deepEqual([answer.status, answer.json().code], [400, 21606]);
  }
});

Deno.test("messages are filtered by their ends, their text and their day", async () => {
  using app = await startApp();
  await app.root.post("SMS/Messages", wanted);
  app.clock.now += 86_400_000;
  await app.root.post("SMS/Messages", { ...wanted, To: "+44200000", Body: "Good bye" });

  const bodies = async (query: string) =>
    (await app.root.get(`SMS/Messages.json?${query}`)).json().messages
      .map(({ body }: { body: string }) => body);
  assert.deepEqual(await bodies("To=%2B1*"), ["hello"]);
  assert.deepEqual(await bodies("Body=GOOD"), ["Good bye"]);
  assert.deepEqual(await bodies("StartTime=2024-01-31"), ["hello"]);
  assert.deepEqual(await bodies("StartTime>=2024-02-01"), ["Good bye"]);
  assert.deepEqual(await bodies("StartTime=2024-01-31&EndTime=2024-02-01"), ["Good bye", "hello"]);
});
