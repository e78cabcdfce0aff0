import assert from "node:assert/strict";
import { makeSample } from "../../support/service/samples.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

Deno.test("the player of a recording in object storage gets its audio from the console, ranges too", async () => {
  using app = await startConsole();
  const asked: (string | null)[] = [];
  await using storage = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    asked.push(request.headers.get("Range"), request.headers.get("Cookie"));
    const headers = { "Content-Type": "audio/wav", "Content-Range": "bytes 0-3/44" };
    return new Response("RIFF", { status: 206, headers });
  });
  app.ports.blobs.link = () => Promise.resolve(`http://127.0.0.1:${storage.addr.port}/a.wav`);
  const sid = await makeSample(app, app.root, { name: "recordings" });
  await app.ports.records.recordings.update(app.root.sid, sid, (recording) => ({
    record: { ...recording, isStored: true },
  }));
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");

  const path = `/${app.root.sid}/Recordings/${sid}/audio`;
  const audio = await browser.get(path, { Range: "bytes=0-3" });

  assert.deepEqual([audio.status, audio.text], [206, "RIFF"]);
  assert.equal(audio.headers.get("Content-Range"), "bytes 0-3/44");
  assert.deepEqual(asked, ["bytes=0-3", null]);
});
