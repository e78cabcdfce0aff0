import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { type Json, startSystem } from "../support/process/system.ts";

/** A customer's server: its documents, and the requested paths. */
function startServer() {
  const asked: string[] = [];
  const statuses: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const form = new URLSearchParams(await request.text());
    if (pathname === "/status") {
      statuses.push(form.get("CallStatus")!);
      return new Response();
    }
    asked.push(pathname);
    const verbs = pathname === "/voice"
      ? '<Pause length="5"/><Redirect>/next</Redirect>'
      : "<Hangup/>";
    const headers = { "content-type": "text/xml" };
    return new Response(`<Response>${verbs}</Response>`, { headers });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, asked, statuses, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("a test call goes on where it was when the service is killed, and no phone is needed", async () => {
  await using server = startServer();
  await using system = await startSystem();
  const ask = async (path: string, user: string, form?: Record<string, string>): Promise<Json> => {
    const response = await fetch(`${system.baseUrl}/2012-04-24/Accounts${path}`, {
      headers: { Authorization: `Basic ${btoa(user)}` },
      ...form && { method: "POST", body: new URLSearchParams(form) },
    });
    assert.equal(response.status, 200);
    return await response.json();
  };
  const { sid, auth_token } = await ask(".json", `${system.accountSid}:${system.authToken}`, {
    EmailAddress: "ci@example.com",
    Password: "secret",
    Type: "Test",
  });
  const own = `${sid}:${auth_token}`;
  const placed = await ask(`/${sid}/Calls.json`, own, {
    From: "+15005550006",
    To: "+15005551006",
    Url: `${server.url}/voice`,
    StatusCallback: `${server.url}/status`,
    StatusCallbackEvent: "ringing answered completed",
  });
  const call = () => ask(`/${sid}/Calls/${placed.sid}.json`, own);
  await eventually("the document was requested", () => server.asked.includes("/voice"));

  const [pid] = system.pids("main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  await eventually("another service runs", () => {
    const [now] = system.pids("main.ts");
    return now !== undefined && now !== pid;
  });
  await system.ready();

  await eventually("the call is over", async () => (await call()).status === "completed");
  const { duration } = await call();
  assert.ok(Number(duration) >= 5, duration);
  assert.equal(server.asked.at(-1), "/next");
  await eventually("the callbacks came", () => server.statuses.includes("completed"));
  assert.deepEqual([...new Set(server.statuses)], ["ringing", "in-progress", "completed"]);
});
