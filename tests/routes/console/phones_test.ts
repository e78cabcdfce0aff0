import assert from "node:assert/strict";
import { encode } from "uqr";
import { Fault } from "../../../core/base/faults.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import { sampleBinding } from "../../support/service/samples.ts";

/** The modules that a path of runs draws. */
function drawn(path: string, size: number): boolean[][] {
  const dark = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    dark[Number(y)]!.fill(true, Number(x), Number(x) + Number(width));
  }
  return dark;
}

Deno.test("the page of a Client has the settings of a phone to copy and as QR codes, and no password", async () => {
  using app = await startConsole();
  const { sid } = (await app.root.post("Clients.json", { Login: "alice", Password: "secret" }))
    .json();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const page = await browser.get(`/${app.root.sid}/Clients/${sid}`);

  assert.match(page.text, /data-copy="sip:alice@sip\.test"/);
  assert.match(page.text, /data-copy="wss:\/\/sip\.test:8443"/);
  assert.match(page.text, /Proxy by TLS[^]*data-copy="sip\.test:5061"/);
  assert.doesNotMatch(page.text, /secret/);
  const paths = [...page.text.matchAll(/<path d="([^"]*)"/g)].map(([, path]) => path!);
  const texts = ["http://api.test/softphone?login=alice", "sip:alice@sip.test"];
  assert.equal(paths.length, texts.length);
  for (const [at, text] of texts.entries()) {
    const { data, size } = encode(text, { ecc: "M", border: 2 });
    assert.deepEqual(drawn(paths[at]!, size), data, text);
  }
});

Deno.test("the page of a Client says which phones are registered from where, and when none can be asked", async () => {
  let isSilent = false;
  using app = await startConsole();
  const { sid } = (await app.root.post("Clients.json", { Login: "alice", Password: "secret" }))
    .json();
  const { bindings } = app.ports.control;
  app.ports.control.bindings = (login) => {
    if (isSilent) throw new Fault("unavailable", "10.0.0.7 does not answer");
    return bindings(login);
  };
  app.registered.set("alice", [sampleBinding(app)]);
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const page = await browser.get(`/${app.root.sid}/Clients/${sid}`);
  assert.match(page.text, /id="registered" data-live="10"/);
  assert.match(page.text, new RegExp(sampleBinding(app).remoteAddress.replaceAll(".", "\\.")));

  isSilent = true;
  const silent = await browser.get(`/${app.root.sid}/Clients/${sid}`);
  assert.equal(silent.status, 200);
  assert.match(silent.text, /The SIP companion does not answer/);
  assert.doesNotMatch(silent.text, /10\.0\.0\.7/);
});

Deno.test("a test call is placed from the page of a Client and of a Gateway, and leads to its timeline", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "+14155550150" });
  const { sid } = (await app.root.post("Management/Gateways.json", {
    UserName: "trunk",
    Password: "secret",
    Proxy: "sip.carrier.test",
  })).json();
  const gateway = await browser.get(`/${app.root.sid}/Management/Gateways/${sid}`);
  assert.match(gateway.text, />unregistered</);
  assert.match(gateway.text, /No companion has registered it yet/);
  assert.match(gateway.text, /value="\+14155550150"/);

  const to = `/${app.root.sid}/test-call`;
  const refused = await browser.post(to, { From: "+14155550150", To: "nonsense" });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /role="alert">[^<]*To must/);
  assert.match(refused.text, /value="nonsense"/);
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const placed = await browser.post(to, { From: "+14155550150", To: "client:alice" });
  assert.match(placed.path, /Calls\/CA[0-9a-f]{32}$/);
  const [call] = (await app.root.get("Calls.json")).json().calls;
  assert.deepEqual([call.from, call.to, call.status], ["+14155550150", "client:alice", "queued"]);
});
