import assert from "node:assert/strict";
import { type Config, readConfig, variables } from "../../core/machine/configuration/config.ts";
import { buildContainerRoot, stepsOf } from "../support/process/container_root.ts";
import { endChild } from "../support/process/end_child.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts } from "../support/process/system.ts";
import { needs } from "../support/process/programs.ts";

const top = new URL("../../", import.meta.url);
const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", top)));
const honoVersion = /@([\d.]+)$/.exec(imports.hono)?.[1];
const read = (file: string) => Deno.readTextFile(new URL(`deploy/${file}`, top));

/** Output of a command, standard error included. */
async function output(command: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(command, { args, cwd: top }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

Deno.test(
  "systemd finds nothing wrong with the unit, and little that it may do",
  needs("systemd-analyze"),
  async () => {
    const unit = "deploy/switchboard.service";
    assert.equal(await output("systemd-analyze", "verify", unit), "");
    const judged = await output("systemd-analyze", "security", "--offline=true", unit);
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(judged)?.[1]);
    assert.ok(exposure <= 2, judged);
  },
);

/** The settings of lines `NAME=value`. */
const settingsOf = (lines: string[]): Record<string, string> =>
  Object.fromEntries(
    lines.filter((line) => /^[A-Z][A-Z_]*=/.test(line)).map((line) => [
      line.slice(0, line.indexOf("=")),
      line.slice(line.indexOf("=") + 1),
    ]),
  );

Deno.test("the settings of deploy/switchboard.env are accepted, each by its name", async () => {
  const given = settingsOf((await read("switchboard.env")).split("\n"));

  assert.deepEqual(Object.keys(given).filter((name) => !(name in variables)), []);
  const config: Config = readConfig((name) => given[name]);
  assert.equal(config.BASE_URL, given.BASE_URL);
  assert.equal(config.SIP_WS_HOST, "127.0.0.1");
});

Deno.test(
  "the steps of the Containerfile make a root in which a service is ready, read-only",
  needs("git", "bwrap"),
  async () => {
    const steps = stepsOf(await read("Containerfile"));
    await using root = await buildContainerRoot(top, steps);
    const [PORT, SIP_WS_PORT, BRIDGE_PORT, SPEECH_PORT] = freePorts(4).map(String);
    const ports = { PORT: PORT!, SIP_WS_PORT: SIP_WS_PORT!, BRIDGE_PORT: BRIDGE_PORT! };
    const commands = steps.filter(({ word }) => word === "CMD" || word === "HEALTHCHECK")
      .map(({ text }): string[] => JSON.parse(text.slice(text.indexOf("["))));
    const [check, start] = commands;

    const child = root.run(start!, { ...ports, SPEECH_PORT: SPEECH_PORT! }).spawn();
    try {
      await eventually("it is ready", async () => {
        const response = await fetch(`http://127.0.0.1:${PORT}/ready`).catch(() => undefined);
        await response?.body?.cancel();
        return response?.ok;
      });
      assert.equal((await root.run(check!, ports).output()).code, 0);
    } finally {
      await endChild(child, "SIGTERM");
    }
    assert.notEqual((await root.run(check!, ports).output()).code, 0);
    const kept = [...Deno.readDirSync(root.data)].map(({ name }) => name);
    assert.ok(kept.includes("switchboard.db") && kept.includes("secret_key"), kept.join());
  },
);

Deno.test(
  "the installation of docs/how-to/production.md, done by root, starts as the unit's user",
  needs("git", "bwrap"),
  async () => {
    const unit = (await read("switchboard.service")).split("\n");
    const valuesOf = (name: string) =>
      unit.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
    const page = await Deno.readTextFile(new URL("docs/how-to/production.md", top));
    const [install = ""] = /^cd \/opt\/switchboard && sudo deno task packages/m.exec(page) ?? [];
    const [workDirectory = ""] = valuesOf("WorkingDirectory");
    const settings = settingsOf([
      ...(await read("switchboard.env")).split("\n"),
      ...valuesOf("Environment"),
    ]);
    const RUN = install.replace("sudo ", "");
    await using root = await buildContainerRoot(top, [
      { word: "WORKDIR", text: workDirectory },
      { word: "ENV", text: `DENO_DIR=${workDirectory}/.deno` },
      // Root may be set up to keep its files to itself.
      { word: "RUN", text: `umask 077 && ${RUN} && chmod a+rX .deno` },
      { word: "RUN", text: `chown 998:998 ${settings.DATA_DIR} && chmod 700 ${settings.DATA_DIR}` },
      { word: "USER", text: "998:998" },
      { word: "VOLUME", text: settings.DATA_DIR! },
    ]);
    const [PORT, SIP_WS_PORT, BRIDGE_PORT, SPEECH_PORT, SIP_UDP_PORT, MEDIA_PORT] = freePorts(
      7,
    )
      .map(String);
    const start = [
      ...["sh", "-c", `umask ${valuesOf("UMask")} && exec ${valuesOf("ExecStart")}`],
    ];
    const env = {
      ...settings,
      ...{ PORT: PORT!, SIP_WS_PORT: SIP_WS_PORT!, BRIDGE_PORT: BRIDGE_PORT! },
      ...{ SPEECH_PORT: SPEECH_PORT!, SIP_UDP_PORT: SIP_UDP_PORT!, MEDIA_PORT: MEDIA_PORT! },
      ...{ SIP_HOST: "127.0.0.1", PUBLIC_IP: "127.0.0.1", RTP_PORTS: "0" },
    };

    const file =
      `${root.app}/node_modules/.deno/hono@${honoVersion}/node_modules/hono/package.json`;
    await Deno.chmod(file, 0o600);
    const refused = await root.run(start, env).output();
    const said = new TextDecoder().decode(refused.stderr);
    assert.match(
      said,
      /^Cannot start: this user may not read \.\/node_modules\/\S+; run "deno task/m,
    );
    await root.asRoot(RUN);
    const child = root.run(start, env).spawn();
    try {
      await eventually("it is ready", async () => {
        const response = await fetch(`http://127.0.0.1:${PORT}/ready`).catch(() => undefined);
        await response?.body?.cancel();
        return response?.ok;
      });
    } finally {
      await endChild(child, "SIGTERM");
    }
    const { mode } = await Deno.stat(`${root.data}/secret_key`);
    assert.equal((mode ?? 0) & 0o777, 0o600);
  },
);

interface Service {
  build?: { context: string; dockerfile: string };
  image?: string;
  volumes: string[];
  env_file?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
}

Deno.test(
  "compose names files that exist, exact images, and the health check of the image",
  needs("python3"),
  async () => {
    const program =
      "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
    const compose = JSON.parse(await output("python3", "-c", program, "deploy/compose.yaml"));
    const services = Object.entries<Service>(compose.services);

    for (const [name, { build, image, volumes, environment = {} }] of services) {
      if (build === undefined) {
        assert.match(image ?? "", /^docker\.io\/[\w/.-]+:\d+\.\d+\.\d+$/, name);
      } else await Deno.stat(new URL(`deploy/${build.context}/${build.dockerfile}`, top));
      for (const volume of volumes) {
        const [source = ""] = volume.split(":");
        if (source.startsWith(".")) await Deno.stat(new URL(`deploy/${source}`, top));
        else assert.ok(source in compose.volumes, volume);
      }
      assert.deepEqual(Object.keys(environment).filter((one) => !(one in variables)), []);
    }
    const steps = stepsOf(await read("Containerfile"));
    const { text } = steps.find(({ word }) => word === "HEALTHCHECK")!;
    const check: string[] = JSON.parse(text.slice(text.indexOf("[")));
    assert.deepEqual(compose.services.switchboard.healthcheck.test, ["CMD", ...check]);
  },
);

Deno.test("coturn understands every line of its configuration", needs("turnserver"), async () => {
  const [port] = freePorts(1) as [number];
  const child = new Deno.Command("turnserver", {
    args: [
      ...["-c", "deploy/turnserver.conf", "-L", "127.0.0.1", "-p", String(port), "--no-tls"],
      ...["--no-dtls", "--log-file", "stdout", "--pidfile", "/dev/null"],
    ],
    cwd: top,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const said = new Response(child.stdout).text();
  try {
    await eventually("it listens", async () => {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
      connection?.close();
      return connection !== undefined;
    });
  } finally {
    await endChild(child, "SIGKILL");
  }
  assert.match(await said, /Default realm: turn\.example\.com/);
  assert.doesNotMatch(await said, /Bad configuration|Unknown|ERROR/);
});
