import assert from "node:assert/strict";
import { wavHeader } from "../../core/recordings/wav_header.ts";
import { startApp } from "../support/service/app.ts";
import { makeSample } from "../support/service/samples.ts";

/** The headers that a server sends in answer to HEAD. */
async function headersOf(port: number, path: string, authorization: string): Promise<Headers> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const lines = [`HEAD ${path} HTTP/1.1`, "Host: api.test", "Connection: close"];
  const text = [...lines, `Authorization: ${authorization}`, "", ""].join("\r\n");
  await connection.write(new TextEncoder().encode(text));
  const [, ...fields] = (await new Response(connection.readable).text()).trim().split("\r\n");
  return new Headers(fields.map((field) => field.split(/: ?/, 2) as [string, string]));
}

Deno.test("HEAD answers with the headers of GET, its Content-Length too", async () => {
  using app = await startApp();
  const { root } = app;
  await makeSample(app, root, { name: "clients" });
  const sid = await makeSample(app, root, { name: "recordings" });
  const file = new Blob([wavHeader(2, 40_000), new Uint8Array(40_000)]);
  await app.ports.blobs.write(root.sid, sid, 0, await file.bytes());
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => app.http.fetch(request),
  );
  const credentials = `Basic ${btoa(`${root.user}:${root.token}`)}`;
  const account = `/2012-04-24/Accounts/${root.sid}`;
  const audio = `${account}/Recordings/${sid}`;
  const below = [".json", "/Clients", "/Nothing"].map((path) => account + path);
  const open = ["/health", "/openapi.json", "/errors/20404"];

  for (const path of [...open, ...below, `${audio}.wav`, `${audio}.mp3`]) {
    const headers = await headersOf(server.addr.port, path, credentials);
    const answer = await app.http.request(path, { headers: { authorization: credentials } });
    const { byteLength } = await answer.arrayBuffer();
    assert.equal(headers.get("Content-Length"), String(byteLength), path);
    assert.equal(headers.get("Content-Type"), answer.headers.get("Content-Type"), path);
    assert.equal((await root.request("HEAD", path)).status, answer.status, path);
  }
  await server.shutdown();
});
