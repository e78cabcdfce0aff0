import assert from "node:assert/strict";
import { machineAddresses } from "../../core/machine/configuration/machine_addresses.ts";
import { openStore } from "../../kv/open_store.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { plainSocket } from "../support/sip/plain_peer.ts";
import { freeUdpPort } from "../support/media/free_udp_port.ts";
import { eventually } from "../support/process/eventually.ts";
import { run } from "../support/process/run.ts";
import { freePorts, isAlive, spawnTask, startSystem } from "../support/process/system.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

Deno.test("deno task start writes the credentials for their owner and prints the first steps", async () => {
  await using system = await startSystem({ env: { BASE_ULR: "http://other.test" } });
  const file = `${system.directory}/credentials.json`;
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  assert.deepEqual(Object.keys(JSON.parse(await Deno.readTextFile(file))), [
    "account_sid",
    "email",
    "auth_token",
    "base_url",
    "sip_ws_url",
    "demo_login",
    "demo_password",
  ]);
  assert.match(system.output(), new RegExp(`REST interface: ${system.baseUrl}`));
  assert.match(system.output(), new RegExp(`SIP over WebSocket: ${system.wsUrl}`));
  assert.match(system.output(), /^Ignored BASE_ULR: .* Did you mean BASE_URL\?$/m);
  assert.match(
    system.output(),
    /Text-to-speech[^]*SIP over WebSocket[^]*REST interface[^]*A first call/,
  );
  assert.ok(system.output().includes(`Its AuthToken is in ${file}`), system.output());
  const { auth_token, demo_password } = JSON.parse(await Deno.readTextFile(file));
  for (const secret of [auth_token, demo_password]) {
    assert.ok(!system.output().includes(secret), "no secret is printed, as logs keep it");
  }
  const [call] = (await system.get("Calls.json")).calls;
  assert.equal(call, undefined);
});

Deno.test("the first call that a start prints has a password that CLIENT_PASSWORD_MIN allows", async () => {
  await using system = await startSystem({ env: { CLIENT_PASSWORD_MIN: "14" } });
  const printed = /curl -u (\S+):\$AUTH_TOKEN (\S+) -d Login=alice -d Password=(\w+)/
    .exec(system.output());
  const [, Sid, url, Password] = printed!;
  const made = await fetch(url!, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${Sid}:${system.authToken}`)}` },
    body: new URLSearchParams({ Login: "alice", Password: Password! }),
  });
  const [demo] = await system.get("Clients.json?Login=demo");

  assert.equal(made.status, 200, await made.text());
  assert.equal(demo.password.length, 14);
});

Deno.test("SIGTERM ends calls with BYE, records them, and exits 0 within 10 s", async () => {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
  const system = await startSystem();
  try {
    const phone = await system.phone("alice");
    const form = { From: "me", To: "client:alice", Url: `${app.url}/voice` };
    const { sid } = await system.post("Calls.json", form);
    const ringing = await phone.nextCall();
    const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
    await app.asked("/voice");

    const startedAt = performance.now();
    const stopped = system.stop();
    await dialog.ended;
    assert.equal(await stopped, 0);
    assert.ok(performance.now() - startedAt < 10_000);

    await using again = await startSystem({ directory: system.directory });
    assert.equal(again.accountSid, system.accountSid);
    assert.equal(again.authToken, system.authToken);
    assert.equal((await again.get(`Calls/${sid}.json`)).status, "completed");
    assert.doesNotMatch(again.output(), /A first call|Root account/);
    await phone.close();
  } finally {
    await system[Symbol.asyncDispose]();
  }
});

Deno.test({
  name: "a port in use, a locked store and a wrong variable are one clear line and exit 1",
  timeout: 300_000,
  async fn() {
    await using system = await startSystem();
    const directory = await Deno.makeTempDir();
    const port = new URL(system.baseUrl).port;
    const media = await plainSocket();
    const [free, sip, bridge, speech] = freePorts(4).map(String) as [
      string,
      string,
      string,
      string,
    ];
    const ports = { PORT: free, SIP_WS_PORT: sip, BRIDGE_PORT: bridge, SPEECH_PORT: speech };
    const cases: [task: string, env: Record<string, string>, line: RegExp][] = [
      ["start", { ...ports, PORT: port, DATA_DIR: directory }, /^Cannot listen on .*:\d+ \(PORT\)/],
      [
        "start",
        {
          ...ports,
          SIP_WS_PORT: new URL(system.wsUrl).port,
          MEDIA_PORT: String(freeUdpPort()),
          DATA_DIR: directory,
        },
        /^Cannot listen on .*:\d+ \(SIP_WS_PORT\): the port is in use. Stop/,
      ],
      [
        "start",
        { ...ports, MEDIA_PORT: String(media.port), DATA_DIR: directory },
        /^Cannot start the media Worker: Cannot listen on .*:\d+ \(MEDIA_PORT\): the port is in use. Stop/,
      ],
      [
        "start",
        { ...ports, SPEECH_PORT: port, DATA_DIR: directory },
        /^Cannot listen on .*:\d+ \(SPEECH_PORT\): the port is in use. Stop/,
      ],
      [
        "start",
        // Longer than a label of DNS may be: no server is queried for it.
        { ...ports, PUBLIC_IP: `${"a".repeat(64)}.test`, DATA_DIR: directory },
        /^Cannot start the media Worker: Cannot find the address of a{64}\.test, which PUBLIC_IP .*: /,
      ],
      ["start", { ...ports, DATA_DIR: system.directory }, /^Cannot open the store: .* is in use/],
      [
        "speech",
        { SPEECH_PORT: speech },
        /^Cannot start the speech process by itself: set SPEECH_SEC/,
      ],
      ["api", { PORT: "http" }, /^Cannot use the configuration: PORT must be a port number/],
    ];
    for (const [task, env, line] of cases) {
      const { output, ended } = spawnTask([task], env);
      assert.equal(await ended, 1, output());
      const errors = output().split("\n").filter((text) => text.startsWith("Cannot"));
      assert.equal(errors.length, 1, output());
      assert.match(errors[0]!, line);
    }
    await media.close();
    await Deno.remove(directory, { recursive: true });
  },
});

Deno.test("a start on every address advertises one that others can connect to, and says so", async () => {
  const env = { HOST: "0.0.0.0", BRIDGE_HOST: "0.0.0.0", SIP_UDP_PORT: String(freeUdpPort()) };
  await using system = await startSystem({ env });
  const { v4 = "127.0.0.1" } = machineAddresses();
  const own = (url: string) => url.replace("127.0.0.1", v4);
  await eventually("both to have started", () => /REST interface/.test(system.output()));
  const output = system.output();
  for (
    const [host, told, wanted] of [
      ["HOST", `BASE_URL=${own(system.baseUrl)}`, "BASE_URL or PUBLIC_IP"],
      [
        "SIP_HOST",
        `RTP_HOST=${v4}, SIP_PUBLIC_HOST=${v4}, SIP_WS_URL=${own(system.wsUrl)}`,
        "PUBLIC_IP",
      ],
      ["BRIDGE_HOST", `BRIDGE_URL=http://${v4}:`, "BRIDGE_URL"],
    ]
  ) {
    const line = output.split("\n").find((text) =>
      text.startsWith(`${host}=0.0.0.0 is no address`)
    );
    assert.ok(
      line?.includes(told!) && line.includes(`set ${wanted}`),
      `${host}: ${line}\n${output}`,
    );
  }
  assert.match(output, new RegExp(`REST interface: ${own(system.baseUrl)}`));
  assert.match(output, new RegExp(`SIP over UDP: ${v4}:`));
  assert.doesNotMatch(output, /(?<!HOST=|listens on )0\.0\.0\.0/);
  const settings = await fetch(`${system.baseUrl}/softphone/settings.json`);
  assert.equal((await settings.json()).ws_url, own(system.wsUrl));
});

Deno.test("a name as PUBLIC_IP is resolved, and browsers get its address", async () => {
  await using system = await startSystem({ env: { HOST: "0.0.0.0", PUBLIC_IP: "localhost" } });
  const phone = await system.phone("alice");
  const Url = `${system.baseUrl}/demo/welcome`;
  await system.post("Calls.json", { From: "me", To: "client:alice", Url });

  const { invite } = await phone.nextCall();

  assert.match(invite.body, /^a=candidate:\S+ 1 UDP \d+ 127\.0\.0\.1 \d+ typ srflx raddr /m);
  assert.match(system.output(), new RegExp(`SIP over WebSocket: ws://localhost:`));
});

Deno.test("deno task config prints every variable, secrets masked", async () => {
  const { output, ended } = spawnTask(["config"], { ADMIN_PASSWORD: "do not tell", PORT: "9999" });
  assert.equal(await ended, 0);
  assert.match(output(), /^PORT=9999 {2}# /m);
  assert.match(output(), /^ADMIN_PASSWORD=\*{8} /m);
  assert.doesNotMatch(output(), /do not tell/);
});

Deno.test("a SIGTERM to all processes at once loses no report of a call", async () => {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
  await using system = await startSystem();
  const phone = await system.phone("alice");
  const form = { From: "me", To: "client:alice", Url: `${app.url}/voice` };
  const { sid } = await system.post("Calls.json", form);
  const ringing = await phone.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await app.asked("/voice");

  // As systemd's KillMode=control-group does, the service first.
  const scripts = ["main.ts", "sip/main.ts", "core/machine/start/start.ts"] as const;
  const pids = scripts.flatMap((script) => system.pids(script));
  assert.equal(pids.length, 3);
  for (const pid of pids) Deno.kill(pid, "SIGTERM");
  await dialog.ended;
  await eventually("all processes end", () => pids.every((pid) => !isAlive(pid)));

  const store = await openStore({
    location: `${system.directory}/switchboard.db`,
    secretKey: await Deno.readTextFile(`${system.directory}/secret_key`),
    now: () => Date.now(),
  });
  const call = await store.records.calls.get(system.accountSid, sid);
  store.close();
  assert.equal(call?.status, "completed");
});

Deno.test("a terminal that closes ends calls with BYE, and they are recorded as after SIGTERM", async () => {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
  await using system = await startSystem();
  const phone = await system.phone("alice");
  const form = { From: "me", To: "client:alice", Url: `${app.url}/voice` };
  const { sid } = await system.post("Calls.json", form);
  const ringing = await phone.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await app.asked("/voice");

  const scripts = ["core/machine/start/start.ts", "main.ts", "sip/main.ts"] as const;
  const pids = scripts.flatMap((script) => system.pids(script));
  assert.equal(pids.length, 3);
  for (const pid of pids) Deno.kill(pid, "SIGHUP");
  await dialog.ended;
  await eventually("all processes end", () => pids.every((pid) => !isAlive(pid)));

  await using again = await startSystem({ directory: system.directory });
  assert.equal((await again.get(`Calls/${sid}.json`)).status, "completed");
  const { notifications } = await again.get(`Calls/${sid}/Notifications.json`);
  assert.deepEqual(notifications, [], "nothing was lost");
});

/** A folder for PATH with what a machine has that has Node and npm alone: no `ps`. */
async function barePath(): Promise<string> {
  const folder = await Deno.makeTempDir();
  for (const name of ["node", "npm", "npx", "env", "sh", "cat"]) {
    const program = await run("sh", ["-c", `command -v ${name}`]);
    await Deno.symlink(program.trim(), `${folder}/${name}`);
  }
  return folder;
}

for (const isBare of [false, true]) {
  const on = isBare ? ", on a machine without ps" : "";
  Deno.test(`SIGTERM to npx, which passes no signal on, stops its child processes${on}`, async () => {
    const PATH = isBare ? await barePath() : Deno.env.get("PATH")!;
    const system = await startSystem({ deno: ["npx", "-y", "deno@2.9.6"], env: { PATH } });
    const scripts = ["main.ts", "sip/main.ts", "core/machine/adapters/speech/main.ts"] as const;
    const pids = scripts.flatMap((script) => system.pids(script));
    const [supervisor] = system.pids("core/machine/start/start.ts");
    assert.equal(pids.length, 3);
    const ended = system.stop();
    await eventually("all processes end", () => pids.every((pid) => !isAlive(pid)))
      .finally(() => isAlive(supervisor!) && Deno.kill(supervisor!, "SIGKILL"));
    await ended;
    await Deno.remove(system.directory, { recursive: true });
    if (isBare) await Deno.remove(PATH, { recursive: true });
  });
}
