import assert from "node:assert/strict";
import { leaveMessage } from "../support/service/leave_message.ts";
import { eventually } from "../support/process/eventually.ts";
import { openVoice } from "../support/media/voice.ts";
import { startMailServer } from "../support/service/mail_server.ts";
import { openPageCommands, pageSettings, pageText } from "../support/service/page_commands.ts";
import { runPageProgram } from "../support/service/page_code.ts";
import { isSound, portOf } from "../support/sip/plain_peer.ts";
import { startSystem } from "../support/process/system.ts";
import { needs } from "../support/process/programs.ts";

const timeout = 240_000;

const ivrs = [
  { page: "README.md", name: "ivr.mjs", path: "/" },
  { page: "docs/tutorials/ivr-node.md", name: "ivr.mjs", path: "/voice" },
  { page: "docs/tutorials/ivr-python.md", name: "ivr.py", path: "/voice" },
];

for (const { page, name, path } of ivrs) {
  Deno.test({
    ...name.endsWith(".py") && needs("python3"),
    name: `the IVR of ${page} takes a message, as it stands there`,
    timeout,
    async fn() {
      await using system = await startSystem({ env: { RTP_PORTS: "0" } });
      await using program = await runPageProgram(page, name);
      await system.post("Clients.json", {
        Login: "caller",
        Password: "caller-secret",
        VoiceUrl: `http://127.0.0.1:${program.port}${path}`,
      });
      const caller = await system.phone("caller");
      const { voice } = await leaveMessage(system, caller, "menu");
      voice.press("#");
      const line = await program.line("New message");
      const [url] = /http\S+/.exec(line)!;
      const audio = await fetch(url);
      const bytes = await audio.arrayBuffer();
      await voice.close();

      assert.equal(audio.headers.get("content-type"), "audio/wav");
      assert.ok(bytes.byteLength > 44);
    },
  });
}

Deno.test({
  ...needs("bash", "curl"),
  name: "the number of docs/tutorials/ivr-node.md calls its Client, as the commands stand there",
  timeout,
  async fn() {
    const page = "docs/tutorials/ivr-node.md";
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    await using program = await runPageProgram(page, "ivr.mjs");
    const app = { url: `http://127.0.0.1:${program.port}` };
    await using commands = await openPageCommands(page, { system, app });
    await commands.next();
    commands.done();
    const [demo, alice] = [await system.demoPhone(), await system.phone("alice")];
    const voice = await openVoice();
    const dialog = await demo.call("+14155550123", { sdp: voice.sdp }).answered;
    voice.speakTo(portOf(dialog.remoteSdp));
    await eventually("the menu is heard", () => voice.heard.some(isSound));
    voice.press("1");
    const ringing = await alice.nextPlainCall();
    ringing.decline(486);
    const sentences = voice.heard.length;
    await eventually("nobody is free, it says", () => voice.heard.slice(sentences).some(isSound));
    await dialog.ended;
    await voice.close();
  },
});

Deno.test({
  name: "the IVR of docs/tutorials/ivr-node.md mails the message of a caller who hangs up",
  timeout,
  async fn() {
    const page = "docs/tutorials/ivr-node.md";
    await using mail = await startMailServer();
    const settings = { ...await pageSettings(page), SMTP_URL: mail.url };
    await using system = await startSystem({ env: { RTP_PORTS: "0", ...settings } });
    const API = `${system.baseUrl}/2012-04-24/Accounts/${system.accountSid}`;
    const env = { API, ACCOUNT_SID: system.accountSid, AUTH_TOKEN: system.authToken };
    const [, handler] = /in place of the handler of `\/message`[^]*?```js\n([^]*?)```/
      .exec(await pageText(page))!;
    const mailing = (code: string) =>
      code.replace(/app\.post\("\/message"[^]*?\n\}\);\n/, () => handler!);
    await using program = await runPageProgram(page, "ivr.mjs", env, { changed: mailing });
    const VoiceUrl = `http://127.0.0.1:${program.port}/voice`;
    await system.post("Clients.json", { Login: "alice", Password: "alice-secret", VoiceUrl });
    const alice = await system.phone("alice");
    const { voice, dialog } = await leaveMessage(system, alice, "menu");
    await dialog.bye();
    const sent = await eventually("the message is mailed", () => mail.mails[0]);
    await voice.close();

    assert.deepEqual(sent.to, ["desk@example.com"]);
    const text = decodeQuotedPrintable(sent.text);
    const [, url] = /Listen: (http\S+)/.exec(text)!;
    const audio = await fetch(url!);
    await audio.body?.cancel();
    assert.equal(audio.status, 200);
    const [, sid] = /Recording: (RE\w{32})/.exec(text)!;
    assert.equal((await system.get(`Recordings/${sid}.json`)).sid, sid);
  },
});

/** The text of a mail (RFC 2045 §6.7). */
const decodeQuotedPrintable = (text: string): string =>
  text.replaceAll("=\r\n", "").replace(
    /=([0-9A-F]{2})/g,
    (_, hex) => String.fromCharCode(parseInt(hex, 16)),
  );

Deno.test({
  ...needs("bash", "curl"),
  name: "the first call of README.md is placed, as the commands stand there",
  timeout,
  async fn() {
    await using system = await startSystem();
    await using commands = await openPageCommands("README.md", { system });
    await Deno.symlink(system.directory, `${commands.directory}/data`);
    await commands.next();
    await commands.next();
    const { calls } = await system.get("Calls.json");
    const [alice] = await system.get("Clients.json?Login=alice");

    assert.equal(calls[0].to, "client:alice");
    assert.equal(alice.password, "secret");
  },
});

for (const name of ["verify.mjs", "verify.py"]) {
  const python = name.endsWith(".py") ? needs("python3") : {};
  Deno.test({
    ...python,
    name: `${name} of docs/how-to/verify-signatures.md does not start without AUTH_TOKEN`,
    async fn() {
      const page = "docs/how-to/verify-signatures.md";
      const started = runPageProgram(page, name, { AUTH_TOKEN: "" });
      await assert.rejects(started, { message: `${name} ended with 1` });
    },
  });

  for (const isProxied of [false, true]) {
    const where = isProxied ? "behind a proxy" : "without a proxy";
    Deno.test({
      ...python,
      name: `${name} of docs/how-to/verify-signatures.md takes signed requests alone, ${where}`,
      timeout,
      async fn() {
        const page = "docs/how-to/verify-signatures.md";
        await using system = await startSystem({ env: { RTP_PORTS: "0" } });
        await using proxy = startProxy();
        const env = {
          AUTH_TOKEN: system.authToken,
          ...isProxied && { PUBLIC_URL: proxy.url },
        };
        await using program = await runPageProgram(page, name, env);
        proxy.target = `http://127.0.0.1:${program.port}`;
        const voiceUrl = `${isProxied ? proxy.url : proxy.target}/voice`;
        await system.post("Clients.json", {
          Login: "caller",
          Password: "caller-secret",
          VoiceUrl: voiceUrl,
        });
        const caller = await system.phone("caller");
        const voice = await openVoice();
        await caller.call("anything", { sdp: voice.sdp }).answered;
        await program.line("Verified CA");
        await voice.close();

        const now = Math.floor(Date.now() / 1000);
        for (const signature of [undefined, "t=1,v1=00", `t=${now},v1=${"0".repeat(64)}`]) {
          const forged = await fetch(voiceUrl, {
            method: "POST",
            body: new URLSearchParams({ CallSid: "CAforged" }),
            headers: signature === undefined ? {} : { "x-switchboard-signature": signature },
          });
          await forged.body?.cancel();
          assert.equal(forged.status, 403);
        }
      },
    });
  }
}

/** A reverse proxy that sends on with the host of its target. */
function startProxy() {
  const proxy = { target: "", url: "" };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("host");
    const body = await request.bytes();
    const response = await fetch(proxy.target + pathname + search, {
      method: request.method,
      headers,
      body,
    });
    return new Response(await response.bytes(), {
      status: response.status,
      headers: { "content-type": response.headers.get("content-type") ?? "text/plain" },
    });
  });
  proxy.url = `http://127.0.0.1:${server.addr.port}`;
  return Object.assign(proxy, { [Symbol.asyncDispose]: () => server.shutdown() });
}
