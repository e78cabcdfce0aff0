import assert from "node:assert/strict";
import { connect as connectTcp, createServer } from "node:net";
import { connect } from "node:tls";
import { endChild } from "../support/process/end_child.ts";
import { openVoice } from "../support/media/voice.ts";
import { openSoftphone } from "../support/sip/softphone.ts";
import { sipLimits } from "../../sip/base/limits.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, spawnTask, startSystem, type System } from "../support/process/system.ts";
import { serialAt, testAuthority, testCertificates } from "../support/process/test_certificates.ts";
import { needs } from "../support/process/programs.ts";

const top = new URL("../../", import.meta.url);

const files = { nginx: "nginx.conf", caddy: "Caddyfile" };

/** The configuration in deploy/, with the ports and files of a test. */
function configuration(proxy: "nginx" | "caddy", system: System, directory: string) {
  return Deno.readTextFileSync(new URL(`deploy/${files[proxy]}`, top))
    .replaceAll("127.0.0.1:8080", new URL(system.baseUrl).host)
    .replaceAll("127.0.0.1:8088", new URL(system.wsUrl).host)
    .replaceAll("/etc/ssl/example.com", `${directory}/example`);
}

Deno.test("docs/reverse-proxy.md shows the configurations of deploy/", async () => {
  const page = await Deno.readTextFile(new URL("docs/reverse-proxy.md", top));
  for (const [language, file] of Object.entries(files)) {
    const shown = page.split("```" + language + "\n")[1]!.split("```")[0]!;
    assert.equal(shown, await Deno.readTextFile(new URL(`deploy/${file}`, top)));
  }
});

type Command = (system: System, directory: string, port: number) => Promise<string[]>;

const proxies: Record<string, Command> = {
  async nginx(system, directory, port) {
    const server = configuration("nginx", system, directory).replace("443 ssl", `${port} ssl`);
    const file = `${directory}/nginx.conf`;
    await Deno.writeTextFile(
      file,
      `daemon off; pid ${directory}/nginx.pid; error_log stderr; events {}
      http { access_log off; client_body_temp_path ${directory}/body;
      proxy_temp_path ${directory}/proxy; ${server} }`,
    );
    return ["nginx", "-e", "stderr", "-c", file];
  },
  async caddy(system, directory, port) {
    const site = configuration("caddy", system, directory)
      .replace(/^example\.com/m, `https://localhost:${port}`);
    const file = `${directory}/Caddyfile`;
    await Deno.writeTextFile(file, `{\nadmin off\nauto_https off\n}\n${site}`);
    return ["caddy", "run", "--config", file, "--adapter", "caddyfile"];
  },
};

/** Asks by TLS for something from an address; resolves with what came first, and the connection. */
async function ask(port: number, localAddress: string, head: string) {
  const options = { host: "127.0.0.1", port, localAddress, servername: "localhost" };
  const socket = connect({ ...options, ca: testAuthority, ALPNProtocols: ["http/1.1"] });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.on("error", reject);
  socket.once("data", (chunk: Uint8Array) => resolve(new TextDecoder().decode(chunk)));
  socket.write(`GET ${head}\r\n\r\n`);
  const answer = await promise;
  return { answer, close: () => socket.destroy() };
}

const webSocket = "/sip HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n" +
  "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: sip\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/** A port whose connections reach a port from an address of this machine. */
async function portFrom(localAddress: string, port: number) {
  const server = createServer((socket) => {
    const onward = connectTcp({ host: "127.0.0.1", port, localAddress });
    for (const end of [socket, onward]) {
      end.on("error", () => {});
      end.on("close", () => [socket, onward].forEach((each) => each.destroy()));
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as { port: number };
  return {
    port: own,
    [Symbol.asyncDispose]: () => new Promise<void>((end) => void server.close(() => end())),
  };
}

/**
 * A client that sends requests by https through a proxy, with the credentials of the root account.
 */
function browserAt(port: number, { accountSid, authToken }: System) {
  const client = Deno.createHttpClient({ caCerts: [testAuthority] });
  const headers = { authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` };
  const request = async (path: string, body?: URLSearchParams) => {
    const response = await fetch(`https://localhost:${port}${path}`, {
      client,
      headers,
      ...body && { method: "POST", body },
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    return text;
  };
  const api = `/2012-04-24/Accounts/${accountSid}/`;
  return {
    page: request,
    get: async (path: string) => JSON.parse(await request(api + path)),
    post: async (path: string, form: Record<string, string>) =>
      JSON.parse(await request(api + path, new URLSearchParams(form))),
    [Symbol.asyncDispose]: () => Promise.resolve(client.close()),
  };
}

/** REGISTERs by one connection with a password; their statuses. */
async function register(port: number, password: string, times = 1): Promise<unknown[]> {
  const phone = await openSoftphone({
    url: `wss://localhost:${port}/sip`,
    login: "alice",
    password,
    domain: "localhost",
    authority: testAuthority,
  });
  const statuses: unknown[] = [];
  for (let n = 0; n < times; n++) statuses.push((await phone.register()).status);
  await phone.close();
  return statuses;
}

for (const [name, command] of Object.entries(proxies)) {
  Deno.test({
    ...needs(name),
    name:
      `behind ${name}, as documented, REST, pages and calls work, and bounds are those of the client`,
    timeout: 120_000,
    async fn() {
      const env = { TRUSTED_PROXIES: "127.0.0.1", SIP_CONNECTIONS_PER_ADDRESS: "2" };
      await using system = await startSystem({ env });
      const directory = system.directory;
      const [port] = freePorts(1) as [number];
      await Deno.writeTextFile(`${directory}/example.pem`, testCertificates.first.cert);
      await Deno.writeTextFile(`${directory}/example.key`, testCertificates.first.key);
      const [program, ...args] = await command(system, directory, port);
      const child = new Deno.Command(program!, {
        args,
        env: { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      try {
        const health = "/health HTTP/1.1\r\nHost: localhost\r\nConnection: close";
        const rest = await eventually(
          `${name} answers`,
          () => ask(port, "127.0.0.2", health).catch(() => undefined),
          20_000,
        );
        const from = (address: string, forged: number) =>
          ask(port, address, `${webSocket}X-Forwarded-For: 203.0.113.${forged}`);
        const first = await from("127.0.0.2", 1);
        const second = await from("127.0.0.2", 2);
        const third = await from("127.0.0.2", 3);
        const other = await from("127.0.0.3", 4);
        for (const { close } of [first, second, third, other, rest]) close();
        await using browser = browserAt(port, system);
        const client = await browser.post("Clients.json", {
          Login: "alice",
          Password: "alice-secret",
          VoiceUrl: `${system.baseUrl}/demo/welcome`,
        });
        for (const page of ["/console", "/softphone", "/docs", "/metrics"]) {
          await browser.page(page);
        }
        const alice = await openSoftphone({
          url: `wss://localhost:${port}/sip`,
          login: "alice",
          password: "alice-secret",
          domain: "localhost",
          authority: testAuthority,
        });
        const registered = await alice.register();
        const [binding] = await system.get(`Clients/${client.sid}/Bindings.json`);
        const voice = await openVoice();
        const dialog = await alice.call("+15550009", { sdp: voice.sdp }).answered;
        await eventually("REST shows the call", async () => {
          const [call] = (await browser.get("Calls.json")).calls;
          return call.status === "in-progress";
        });
        await dialog.bye();
        await voice.close();
        await alice.close();
        await using guesser = await portFrom("127.0.0.4", port);
        await using neighbour = await portFrom("127.0.0.5", port);
        const { wrongAnswersOfDevice, wrongAnswersOfLogin } = sipLimits;
        for (let n = 0; n < wrongAnswersOfLogin.free; n += wrongAnswersOfDevice.free) {
          const guesses = await register(guesser.port, "guess", wrongAnswersOfDevice.free);
          assert.deepEqual(new Set(guesses), new Set([401]));
        }
        const locked = await register(guesser.port, "alice-secret");
        const elsewhere = await register(neighbour.port, "alice-secret");

        assert.deepEqual([locked, elsewhere], [[503], [200]]);
        assert.match(rest.answer, /^HTTP\/1\.1 200 /);
        for (const { answer } of [first, second, other]) assert.match(answer, /^HTTP\/1\.1 101 /);
        assert.match(third.answer, /^HTTP\/1\.1 503 /);
        assert.equal(registered.status, 200);
        assert.equal(binding.transport, "WSS");
        assert.equal(client.login, "alice");
      } finally {
        await endChild(child);
      }
    },
  });
}

Deno.test({
  name: "REST by TLS_CERT and TLS_KEY shows a renewed certificate without a restart",
  timeout: 120_000,
  async fn() {
    const directory = await Deno.makeTempDir();
    const [certFile, keyFile] = [`${directory}/cert.pem`, `${directory}/key.pem`];
    const write = async ({ cert, key }: { cert: string; key: string }) => {
      await Deno.writeTextFile(certFile, cert);
      await Deno.writeTextFile(keyFile, key);
    };
    await write(testCertificates.first);
    await Deno.writeTextFile(`${directory}/ca.pem`, testAuthority);
    const [port, sip, control, speech] = freePorts(4) as [number, number, number, number];
    const { child, ended, output } = spawnTask(["start"], {
      PORT: `${port}`,
      SIP_WS_PORT: `${sip}`,
      BRIDGE_PORT: `${control}`,
      SPEECH_PORT: `${speech}`,
      DATA_DIR: directory,
      BASE_URL: `https://localhost:${port}`,
      TLS_CERT: certFile,
      TLS_KEY: keyFile,
      DENO_CERT: `${directory}/ca.pem`,
    });
    try {
      const ready = await eventually(
        () => `the service and its companion are ready: ${output()}`,
        async () => {
          const head = "/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close";
          const asked = await ask(port, "127.0.0.1", head).catch(() => undefined);
          asked?.close();
          return asked?.answer.startsWith("HTTP/1.1 200") && asked.answer;
        },
      );
      const address = { host: "127.0.0.1", port };
      const before = await serialAt(address);
      await write(testCertificates.second);
      const after = await eventually("the renewed certificate is shown", async () => {
        const serial = await serialAt(address);
        return serial !== before && serial;
      });

      assert.ok(ready);
      assert.notEqual(after, before);
    } finally {
      child.kill("SIGTERM");
      await ended;
      await Deno.remove(directory, { recursive: true });
    }
  },
});
