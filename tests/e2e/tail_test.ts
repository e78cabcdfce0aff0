import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { endChild } from "../support/process/end_child.ts";

/** `deno task tail` as a process, and the lines that it has printed. */
function startTail(args: string[], env: Record<string, string>) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "tail", ...args],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines: string[] = [];
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    let rest = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const found = (rest + text).split("\n");
      rest = found.pop()!;
      lines.push(...found);
    }
  };
  const ended = Promise.all([read(child.stdout), read(child.stderr)]);
  return {
    lines,
    status: child.status,
    line: (pattern: RegExp) =>
      eventually(
        `a line like ${pattern}`,
        () => Promise.resolve(lines.find((line) => pattern.test(line))),
      ),
    async [Symbol.asyncDispose]() {
      await endChild(child, "SIGTERM");
      await ended;
    },
  };
}

const envOf = (system: Pick<System, "baseUrl" | "accountSid" | "authToken">) => ({
  SWITCHBOARD_URL: system.baseUrl,
  ACCOUNT_SID: system.accountSid,
  AUTH_TOKEN: system.authToken,
});

Deno.test({
  name: "deno task tail prints the events of a call from the stream of a running service",
  timeout: 120_000,
  async fn() {
    await using system = await startSystem();
    const phone = await system.phone("alice");
    await using tail = startTail(["--type", "call,message"], envOf(system));
    // The stream begins some time after the process starts: texts are sent until one is printed.
    await eventually("a text is told", async () => {
      await system.post("SMS/Messages.json", { From: "+15550001", To: "client:zoe", Body: "Hi" });
      return tail.lines.some((line) => line.includes('"type":"message"')) || undefined;
    });
    const form = { From: "+15550001", To: "client:alice", Url: `${system.baseUrl}/demo/welcome` };
    const { sid } = await system.post("Calls.json", form);
    await phone.nextCall();
    await system.post(`Calls/${sid}.json`, { Status: "canceled" });
    await tail.line(new RegExp(`"sid":"${sid}".*"status":"canceled"`));
    assert.ok(tail.lines.every((line) => JSON.parse(line).id));
  },
});

Deno.test({
  name:
    "deno task tail connects again from the last event, and ends where its credentials are refused",
  timeout: 60_000,
  async fn() {
    const asked: (string | null)[] = [];
    const event = (id: string) => {
      const data = { id, type: "call", change: "created", sid: `CA${id}`, record: {} };
      return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
    };
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => {
        assert.match(request.url, /Accounts\/AC1\/Events\?Type=call&Sid=CA1$/);
        asked.push(request.headers.get("Last-Event-ID"));
        const headers = { "Content-Type": "text/event-stream" };
        if (asked.length === 1) return new Response(event("one"), { headers });
        if (asked.length === 2) return new Response("busy", { status: 503 });
        if (asked.length === 3) return new Response(event("two"), { headers });
        return new Response("<Message>Cannot authenticate the request</Message>", { status: 401 });
      },
    );
    await using tail = startTail(["--type", "call", "--call", "CA1"], {
      SWITCHBOARD_URL: `http://127.0.0.1:${server.addr.port}`,
      ACCOUNT_SID: "AC1",
      AUTH_TOKEN: "token",
    });
    const { code } = await tail.status;
    assert.equal(code, 1);
    assert.deepEqual(asked, [null, "one", "one", "two"]);
    await tail.line(/answered 401: Cannot authenticate the request/);
    assert.deepEqual(tail.lines.slice(0, 2).map((line) => JSON.parse(line).sid), [
      "CAone",
      "CAtwo",
    ]);
  },
});
