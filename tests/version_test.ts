import assert from "node:assert/strict";
import { version } from "../core/base/version.ts";
import { startApp } from "./support/service/app.ts";

const root = new URL("../", import.meta.url);
const files = ["core/base/version.ts", "docs/changelog.md"];

/** Runs `deno task version` as deno.json has it, on a copy of what it changes. */
async function withRelease(
  changelog: string,
  use: (
    run: (...args: string[]) => Promise<{ code: number; out: string; err: string }>,
    read: (path: string) => Promise<string>,
  ) => Promise<void>,
  git = "exit 128",
): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${directory}/core/base`, { recursive: true });
    await Deno.mkdir(`${directory}/docs`);
    await Deno.writeTextFile(`${directory}/${files[0]}`, 'export const version = "0.9.1";\n');
    await Deno.writeTextFile(`${directory}/${files[1]}`, changelog);
    await Deno.mkdir(`${directory}/bin`);
    await Deno.writeTextFile(`${directory}/bin/git`, `#!/bin/sh\n${git}\n`, { mode: 0o755 });
    const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
    const [, ...flags] = tasks.version.split(" ");
    const script = new URL(flags.pop(), root).pathname;
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    await use(
      async (...args) => {
        const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
          args: [...flags, script, ...args],
          cwd: directory,
          env: { NO_COLOR: "1", PATH: `${directory}/bin` },
        }).output();
        return { code, out: text(stdout), err: text(stderr) };
      },
      (path) => Deno.readTextFile(`${directory}/${path}`),
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const changes = "# Changelog\n\n## Unreleased\n\n### Added\n\n- A bell.\n\n## 0.9.1 – 2026-01-02\n";

Deno.test("deno task version gives the version and the changes a number and a date", async () => {
  await withRelease(changes, async (run, read) => {
    assert.equal((await run()).out, "0.9.1\n");

    assert.equal((await run("0.10.0")).code, 0);

    assert.equal(await read(files[0]!), 'export const version = "0.10.0";\n');
    const today = new Date().toISOString().slice(0, 10);
    assert.equal(
      await read(files[1]!),
      changes.replace("## Unreleased\n", `## Unreleased\n\n## 0.10.0 – ${today}\n`),
    );
  });
});

for (
  const [does, git, made] of [
    ["names the commit of the release", "echo 0a1b2c3d", " (0a1b2c3d)"],
    ["names no commit outside of a repository", "exit 128", ""],
  ] as const
) {
  Deno.test(`deno task version ${does}`, async () => {
    await withRelease(changes, async (run, read) => {
      assert.equal((await run("0.10.0")).code, 0);

      const today = new Date().toISOString().slice(0, 10);
      const heading = `## 0.10.0 – ${today}${made}\n`;
      assert.ok((await read(files[1]!)).includes(heading));
    }, git);
  });
}

for (
  const [version, why, log] of [
    ["0.9.1", "0.9.1 does not come after 0.9.1", changes],
    ["0.8.20", "0.8.20 does not come after 0.9.1", changes],
    ["1.0", '"1.0" is no version: say three numbers like 0.4.0', changes],
    [
      "1.0.0",
      'docs/changelog.md names no change under "Unreleased"',
      changes.replace("- A bell.", ""),
    ],
  ] as const
) {
  Deno.test(`deno task version refuses a release: ${why}`, async () => {
    await withRelease(log, async (run, read) => {
      const { code, err } = await run(version);

      assert.deepEqual([code, err], [1, `Cannot make a release: ${why}\n`]);
      assert.match(await read(files[0]!), /"0\.9\.1"/);
      assert.equal(await read(files[1]!), log);
    });
  });
}

Deno.test("the changelog's latest version is the one that runs, in order from the newest", async () => {
  const text = await Deno.readTextFile(new URL("docs/changelog.md", root));
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
  const [first, ...versions] = headings;

  assert.equal(first, "Unreleased");
  assert.ok(versions.length >= 3);
  for (const heading of versions) {
    assert.match(heading, /^\d+\.\d+\.\d+ – \d{4}-\d\d-\d\d( \([0-9a-f]{8}\))?$/);
  }
  assert.ok(versions[0]!.startsWith(`${version} `), versions[0]);
  const dates = versions.map((heading) => heading.split(" – ")[1]!.slice(0, 10));
  assert.deepEqual(dates, dates.toSorted().reverse());
});

Deno.test("OpenAPI and the metrics of the Supervisor have the version", async () => {
  using app = await startApp();
  const { info } = await (await app.http.request("/openapi.json")).json();

  assert.equal(info.version, version);
  const metrics = (await app.root.get("Supervisor.json/metrics")).json();
  assert.equal(metrics.Version, version);
});
