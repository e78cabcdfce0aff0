import assert from "node:assert/strict";
import { writeWav } from "../../core/base/wav.ts";
import { natTest } from "../support/process/nat_lab.ts";
import { hosts } from "../support/process/nat_network.ts";
import { run } from "../support/process/run.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

/** An address of the public internet, which the guard lets through; here it is in a namespace. */
const publicAddress = "9.9.9.9";

/** A certificate for an address, signed by an authority that no other program trusts; PEM files. */
async function makeCertificate(directory: string, address: string) {
  const path = (name: string) => `${directory}/${name}`;
  const request = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await run("openssl", [
    ...[...request, "-x509", "-days", "2", "-subj", "/CN=private authority"],
    ...["-keyout", path("ca.key"), "-out", path("ca.pem")],
  ]);
  await Deno.writeTextFile(path("names"), `subjectAltName=IP:${address}\n`);
  await run("openssl", [
    ...[...request, "-subj", "/CN=application server"],
    ...["-keyout", path("server.key"), "-out", path("server.csr")],
  ]);
  await run("openssl", [
    ...["x509", "-req", "-days", "2", "-in", path("server.csr"), "-extfile", path("names")],
    ...["-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial"],
    ...["-out", path("server.pem")],
  ]);
  return { ca: path("ca.pem"), cert: path("server.pem"), key: path("server.key") };
}

natTest(
  import.meta.url,
  "https application servers with a private CA work under the guard by NODE_EXTRA_CA_CERTS",
  async (lab) => {
    const directory = await Deno.makeTempDir();
    await run("ip", ["addr", "add", `${publicAddress}/32`, "dev", "lo"]);
    const { ca, cert, key } = await makeCertificate(directory, publicAddress);
    const asked = new Map(["/voice", "/tone.wav", "/events"].map((path) => {
      return [path, Promise.withResolvers<string>()];
    }));
    const origin = (): string => `https://${publicAddress}:${server.addr.port}`;
    await using server = Deno.serve({
      hostname: publicAddress,
      port: 0,
      cert: await Deno.readTextFile(cert),
      key: await Deno.readTextFile(key),
      onListen() {},
    }, async (request) => {
      const { pathname } = new URL(request.url);
      asked.get(pathname)?.resolve(await request.text());
      if (pathname === "/tone.wav") {
        const headers = { "Content-Type": "audio/wav" };
        return new Response(writeWav(new Int16Array(800), 8_000), { headers });
      }
      if (pathname !== "/voice") return new Response();
      const document = `<Response><Play>${origin()}/tone.wav</Play><Hangup/></Response>`;
      return new Response(document, { headers: { "Content-Type": "text/xml" } });
    });
    const system = await lab.start("net", hosts.net, {
      HOST: "0.0.0.0",
      PUBLIC_IP: hosts.net,
      ALLOW_PRIVATE_URLS: "false",
      NODE_EXTRA_CA_CERTS: ca,
    });
    const alice = await system.phone("alice");

    await system.post("Calls.json", {
      From: "me",
      To: "client:alice",
      Url: `${origin()}/voice`,
      StatusCallback: `${origin()}/events`,
    });
    const call = await alice.nextCall();
    await call.answer(webrtcAnswer(call.invite.body));

    assert.match(await asked.get("/voice")!.promise, /CallStatus=in-progress/);
    await asked.get("/tone.wav")!.promise;
    assert.match(await asked.get("/events")!.promise, /CallSid=CA/);
    await Deno.remove(directory, { recursive: true });
  },
);
