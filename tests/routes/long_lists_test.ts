import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { newBase, withDefaults } from "../../core/model/resource.ts";
import { notifications } from "../../core/model/resources/notifications.ts";
import { transcriptions } from "../../core/model/resources/transcriptions.ts";
import { measurePieces } from "../support/process/loop_pieces.ts";
import type { App } from "../support/service/app.ts";
import { consoleClient, startConsole } from "../support/service/console_client.ts";

const count = 300;
const longText = (n: number, length: number) =>
  `é<&> ${n} "one" 😀 `.repeat(Math.ceil(length / 16)).slice(0, length);

/** An account with records as long as they can be. */
async function fill(app: App): Promise<void> {
  const { ports, root } = app;
  const made: Promise<unknown>[] = [];
  for (let n = 0; n < count; n++) {
    const text = longText(n, 36_000);
    const heard = withDefaults(transcriptions, { status: "completed", transcriptionText: text });
    const transcription = { ...newBase(transcriptions, root.sid, ports), ...heard };
    made.push(ports.records.transcriptions.insert({ record: transcription as never }));
    const notice = withDefaults(notifications, {
      apiVersion: "2012-04-24",
      callSid: `CA${String(n).padStart(32, "0")}`,
      log: 0,
      errorCode: 11200,
      messageText: `failed ${n}`,
      messageDate: app.clock.now,
      requestUrl: "https://app.test/voice",
      requestVariables: longText(n, 8_000),
      responseHeaders: longText(n, 8_000),
      responseBody: longText(n, 8_000),
    });
    const record = { ...newBase(notifications, root.sid, ports), ...notice };
    made.push(ports.records.notifications.insert({ record: record as never }));
  }
  await Promise.all(made);
}

async function lengthOf({ body }: Response): Promise<number> {
  let length = 0;
  for await (const piece of body!) length += piece.length;
  return length;
}

Deno.test("long records keep the loop in short pieces, whoever asks for a thousand of them", async (t) => {
  using app = await startConsole();
  await fill(app);
  const { authToken } = (await app.ports.accounts.get(app.root.sid))!;
  const Authorization = `Basic ${btoa(`${app.root.sid}:${authToken}`)}`;
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const Cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  const console = `http://api.test/console/${app.root.sid}`;
  const ofApi = (path: string, gzip = {}) => async () => {
    const headers = { Authorization, ...gzip };
    assert.ok(await lengthOf(await app.http.request(path, { headers })) > 100_000);
  };
  const ofConsole = (path: string, least: number) => async () => {
    const request = new Request(console + path, { headers: { Cookie } });
    const response = await app.http.fetch(request, { client: "192.0.2.1" });
    assert.equal(response.status, 200);
    assert.ok(await lengthOf(response) > least);
  };
  const works: Record<string, () => Promise<void>> = {
    "the error log of the console": ofConsole("/Notifications", 1_000),
    "an export as CSV": ofConsole("/Transcriptions/export?format=csv", 1_000_000),
    "an export as JSON": ofConsole("/Notifications/export?format=json", 1_000_000),
  };
  for (const version of ["2012-04-24", "2010-04-01"]) {
    const below = `/${version}/Accounts/${app.root.sid}`;
    for (const suffix of [".json", ""]) {
      const path = `${below}/Transcriptions${suffix}?PageSize=1000`;
      works[path] = ofApi(path);
      works[`${path} in gzip`] = ofApi(path, { "Accept-Encoding": "gzip" });
    }
  }
  for (const [name, work] of Object.entries(works)) {
    await t.step(name, async () => {
      const { allMs, longestMs } = await measurePieces(work);
      // A piece that grows with the list is a third of the whole, and more.
      assert.ok(longestMs < Math.max(allMs / 5, 30), `${longestMs} ms of ${allMs} ms in one piece`);
    });
  }
});

Deno.test("a long list is the same whole, in pieces and compressed, in both formats", async () => {
  using app = await startConsole();
  await fill(app);
  const { authToken } = (await app.ports.accounts.get(app.root.sid))!;
  const Authorization = `Basic ${btoa(`${app.root.sid}:${authToken}`)}`;
  const ask = async (path: string, headers = {}) => {
    const all = { headers: { Authorization, ...headers } };
    const response = await app.http.request(path, all);
    assert.equal(response.status, 200);
    return response;
  };
  for (const version of ["2012-04-24", "2010-04-01"]) {
    const list = `/${version}/Accounts/${app.root.sid}/Transcriptions`;
    const long = await (await ask(`${list}.json?PageSize=1000`)).json();
    assert.equal(long.transcriptions.length, count);
    const short = await (await ask(`${list}.json?PageSize=2`)).json();
    assert.deepEqual(long.transcriptions.slice(0, 2), short.transcriptions);
    const { sid, transcription_text: text } = long.transcriptions.at(-1);
    assert.equal(text, longText(0, 36_000), "no character is cut in two");
    for (const path of [`${list}.json?PageSize=1000`, `${list}?PageSize=1000`]) {
      const plain = await (await ask(path)).text();
      const zipped = await ask(path, { "Accept-Encoding": "gzip" });
      assert.equal(gunzipSync(await zipped.bytes()).toString(), plain);
      assert.ok(plain.includes(sid));
    }
    const whole = await (await ask(`${list}?PageSize=1000`)).text();
    const part = await (await ask(`${list}?PageSize=2`)).text();
    assert.equal(whole.split("</Transcription>").length, count + 1);
    assert.equal(part.split("</Transcription>").length, 3);
  }
});
