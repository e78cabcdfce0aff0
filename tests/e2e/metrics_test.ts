import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { endChild } from "../support/process/end_child.ts";
import { eventually } from "../support/process/eventually.ts";
import { run } from "../support/process/run.ts";
import { answers, freePorts, startSystem, type System } from "../support/process/system.ts";
import { talkAt } from "../support/media/talker.ts";
import { needs } from "../support/process/programs.ts";

const top = new URL("../../", import.meta.url);
const metricsToken = "a-token-of-the-tests";

/** Service and companion that listen for scrapes. */
interface Measured {
  system: System;
  /** Of `/metrics` of each process. */
  servicePort: number;
  companionPort: number;
}

async function startMeasured(): Promise<Measured> {
  const [servicePort, companionPort] = freePorts(2) as [number, number];
  const system = await startSystem({
    env: {
      METRICS_TOKEN: metricsToken,
      METRICS_PORT: String(servicePort),
      SIP_METRICS_PORT: String(companionPort),
    },
  });
  return { system, servicePort, companionPort };
}

/** Debian's Prometheus with the files of deploy/, all three jobs of them, which scrapes each second. */
async function startPrometheus({ system, servicePort, companionPort }: Measured) {
  const directory = await Deno.makeTempDir();
  const [port] = freePorts(1) as [number];
  const shown = await Deno.readTextFile(new URL("deploy/prometheus/prometheus.yml", top));
  const config = shown.replaceAll("15s", "1s")
    .replace("rules.yml", new URL("deploy/prometheus/rules.yml", top).pathname)
    .replace("127.0.0.1:9464", `127.0.0.1:${servicePort}`)
    .replace("127.0.0.1:9465", `127.0.0.1:${companionPort}`)
    // The job that reads the REST interface is a comment there.
    .replaceAll(/^#(?= - job_name| {3})/gm, " ")
    .replace("scheme: https", "scheme: http")
    .replace("/etc/prometheus/switchboard_metrics_token", `${directory}/token`)
    .replace("calls.example.com", new URL(system.baseUrl).host);
  await Deno.writeTextFile(`${directory}/token`, metricsToken);
  await Deno.writeTextFile(`${directory}/prometheus.yml`, config);
  const child = new Deno.Command("prometheus", {
    args: [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/-/ready`);
  const api = async (path: string) => (await (await fetch(`${url}/api/v1/${path}`)).json()).data;
  return {
    api,
    /** The value of an expression; null where it has none. */
    async value(expression: string): Promise<number | null> {
      const { result } = await api(`query?query=${encodeURIComponent(expression)}`);
      return result.length === 0 ? null : Number(result[0].value[1]);
    },
    async [Symbol.asyncDispose]() {
      await endChild(child);
      await Deno.remove(directory, { recursive: true });
    },
  };
}

const textAt = async (port: number) =>
  await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

/** A softphone calls an echo, says a tone, and hangs up. */
async function callEcho(system: System): Promise<void> {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Echo/></Response>");
  await system.post("Clients.json", {
    Login: "alice",
    Password: "alice-secret",
    VoiceUrl: `${app.url}/voice`,
  });
  const talker = await talkAt(await system.phone("alice"), "echo", 440);
  await talker.untilHearsAnything(true);
  await talker.dialog.bye();
  await talker.close();
}

Deno.test(
  "Prometheus reads all processes, and its series describe a call",
  needs("prometheus"),
  async () => {
    const measured = await startMeasured();
    await using system = measured.system;
    await using prometheus = await startPrometheus(measured);
    await callEcho(system);
    await using app = startAppServer();
    await system.post("Calls.json", {
      From: "me",
      To: "client:nobody",
      Url: `${app.url}/voice`,
      StatusCallback: `${app.url}/events`,
    });
    const some = async (expression: string) => {
      await eventually(`${expression} is above 0`, async () => {
        return (await prometheus.value(expression) ?? 0) > 0;
      });
    };
    const service = (name: string) => `sum(${name.replace("{", '{job="switchboard-service",')})`;
    await some(service('switchboard_calls_created_total{direction="inbound"}'));
    await some(service('switchboard_calls_ended_total{status="completed"}'));
    await some(service('switchboard_calls_ended_total{status="failed"}'));
    await some(service('switchboard_webhook_attempts_total{outcome="2xx"}'));
    await some(service('switchboard_http_requests_total{method="POST",status="200"}'));
    await some(service('switchboard_kv_commit_duration_seconds_count{outcome="made"}'));
    await some(service('switchboard_companions{state="ready"}'));
    await some('switchboard_sip_requests_total{method="INVITE",direction="received"}');
    await some('switchboard_sip_responses_total{method="INVITE",direction="sent",code="200"}');
    await some("switchboard_registered_clients");
    await some("switchboard_rtp_packets_received_total");
    await some("switchboard_rtp_jitter_seconds_count");
    await some('process_resident_memory_bytes{job="switchboard-companion"}');
    await some('sum(switchboard_calls_ended_total{job="switchboard-rest"})');
    const { activeTargets } = await prometheus.api("targets?state=active");
    assert.deepEqual(
      activeTargets.map((one: { health: string; lastError: string }) => one.health + one.lastError),
      ["up", "up", "up"],
    );
    for (const { title, targets } of await panels()) {
      for (const { expr } of targets) {
        const asked = expr.replaceAll("$__rate_interval", "1m");
        const { resultType } = await prometheus.api(`query?query=${encodeURIComponent(asked)}`);
        assert.equal(resultType, "vector", `${title}: ${expr}`);
      }
    }
    await eventually("each rule was evaluated", async () => {
      const { groups } = await prometheus.api("rules");
      return groups[0].rules.every((rule: { health: string }) => rule.health === "ok");
    });
  },
);

Deno.test(
  "each alert fires in trouble, and none on a service that is well",
  needs("promtool"),
  async () => {
    const rules = new URL("fixtures/prometheus/rules_test.yml", new URL("../", import.meta.url));
    await run("promtool", ["test", "rules", rules.pathname]);
    const config = new URL("deploy/prometheus/", top).pathname;
    await run("promtool", ["check", "rules", `${config}rules.yml`]);
    await run("promtool", ["check", "config", "--syntax-only", `${config}prometheus.yml`]);
  },
);

interface Panel {
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string }[];
}

const panels = async (): Promise<Panel[]> =>
  JSON.parse(await Deno.readTextFile(new URL("deploy/grafana/switchboard.json", top))).panels;

Deno.test("the panels of the board have titles and queries, and none lies over another", async () => {
  const taken = new Set<string>();
  for (const { title, type, gridPos: { x, y, w, h }, targets } of await panels()) {
    assert.ok(title !== "" && targets.length > 0 && x + w <= 24, title);
    assert.equal(type, "timeseries");
    for (let at = 0; at < w * h; at++) {
      const cell = `${x + at % w},${y + Math.floor(at / w)}`;
      assert.ok(!taken.has(cell), `${title} lies over another panel`);
      taken.add(cell);
    }
  }
});

Deno.test(
  "each series of the board and the rules is one that a process has",
  needs("promtool"),
  async () => {
    const measured = await startMeasured();
    await using _system = measured.system;
    const [service, companion] = [
      await textAt(measured.servicePort),
      await textAt(measured.companionPort),
    ];
    for (const text of [service, companion]) await run("promtool", ["check", "metrics"], text);
    const known = new Set(
      [...`${service}\n${companion}`.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name]
      ),
    );
    for (const file of ["prometheus/rules.yml", "grafana/switchboard.json"]) {
      const text = await Deno.readTextFile(new URL(`deploy/${file}`, top));
      const named = [...text.matchAll(/\b(?:switchboard|process|nodejs)_\w+/g)].map(([name]) =>
        name
      );
      assert.ok(named.length > 10, file);
      const unknown = named.filter((name) => !known.has(name));
      assert.deepEqual([...new Set(unknown)], [], file);
    }
  },
);

Deno.test("metrics need the root account or METRICS_TOKEN, and name no account or number", async () => {
  const measured = await startMeasured();
  await using system = measured.system;
  const { accountSid, authToken, baseUrl } = system;
  const sub = await system.post("../../Accounts.json", {
    FriendlyName: "sub",
    EmailAddress: "sub@example.com",
    Password: "a long password",
  });
  const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`;
  const read = async (authorization?: string) => {
    const response = await fetch(`${baseUrl}/metrics`, {
      headers: { ...authorization !== undefined && { authorization } },
    });
    return { status: response.status, text: await response.text() };
  };
  await callEcho(system);
  const asRoot = await read(basic(accountSid, authToken));
  assert.equal(asRoot.status, 200);
  assert.equal((await read(`Bearer ${metricsToken}`)).status, 200);
  assert.equal((await read()).status, 401);
  assert.equal((await read("Bearer another-token-here")).status, 401);
  assert.equal((await read(basic(accountSid, "wrong"))).status, 401);
  assert.equal((await read(basic(sub.sid, sub.auth_token))).status, 403);
  const all = asRoot.text + await textAt(measured.companionPort);
  assert.match(all, /route="\/2012-04-24\/Accounts\/:account\/Clients"/);
  for (const secret of [accountSid, sub.sid, "alice", "127.0.0.1"]) {
    assert.ok(!all.includes(secret), `${secret} is in a label`);
  }
});
