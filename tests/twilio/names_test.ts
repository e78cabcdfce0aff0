/**
 * Programs of Twilio's libraries, as the documentation makes their clients, at services with names. Each
 * name leads to the loopback here, and what the libraries look up is written down: nothing, least of all an
 * AuthToken, may leave for another host.
 */
import assert from "node:assert/strict";
import { startTwilioLab } from "../support/service/twilio_lab.ts";
import { pageText } from "../support/service/page_commands.ts";

const cache = Deno.env.get("SWITCHBOARD_PEERS") ??
  `${Deno.env.get("HOME") ?? "/root"}/.cache/switchboard-peers`;
const python = `${cache}/twilio/bin/python`;
const isThere = await Deno.stat(python).then(() => true, () => false);
const ignore = !isThere && Deno.env.get("CI") === undefined;

const peers = new URL("../support/peers/twilio/", import.meta.url).pathname;
const config = new URL("../deno.json", import.meta.url).pathname;

/** The beginning of a program of the page, which makes the client, with another base address. */
async function clientOf(language: string, call: string, base: string): Promise<string> {
  const text = await pageText("docs/how-to/migrate-from-twilio.md");
  const [, code] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text) ?? [];
  assert.ok(code !== undefined && code.includes(call), language);
  return code.slice(0, code.indexOf(call)).replaceAll("http://127.0.0.1:8080", base);
}

const walks = {
  js: `
const of = {
  calls: () => client.calls.list({ limit: 3, pageSize: 1 }),
  account: () => client.api.accounts(process.env.TWILIO_ACCOUNT_SID).fetch(),
  secondary: () => client.accounts.v1.secondaryAuthToken().create(),
  lookups: () => client.lookups.v2.phoneNumbers("+14155550100").fetch(),
  verify: () => client.verify.v2.services("VA" + "0".repeat(32)).verifications.create({ to: "+14155550100", channel: "sms" }),
  conversations: () => client.conversations.v1.conversations.list({ limit: 1 }),
  taskrouter: () => client.taskrouter.v1.workspaces.list({ limit: 1 }),
  messaging: () => client.messaging.v1.services.list({ limit: 1 }),
  studio: () => client.studio.v2.flows.list({ limit: 1 }),
  video: () => client.video.v1.rooms.list({ limit: 1 }),
  page: () => client.request({ method: "get", uri: "https://api.twilio.com/2010-04-01/Accounts.json" }),
};
for (const [name, ask] of Object.entries(of)) {
  console.log(name, await ask().then(() => "ok", (error) => error.code));
}
`,
  python: `
import json
from twilio.base.exceptions import TwilioException, TwilioRestException
asked = {
    "calls": lambda: client.calls.list(limit=3, page_size=1),
    "account": lambda: client.api.accounts(os.environ["TWILIO_ACCOUNT_SID"]).fetch(),
    "secondary": lambda: client.accounts.v1.secondary_auth_token().create(),
    "lookups": lambda: client.lookups.v2.phone_numbers("+14155550100").fetch(),
    "verify": lambda: client.verify.v2.services("VA" + "0" * 32).verifications.create(to="+14155550100", channel="sms"),
    "conversations": lambda: client.conversations.v1.conversations.list(limit=1),
    "taskrouter": lambda: client.taskrouter.v1.workspaces.list(limit=1),
    "messaging": lambda: client.messaging.v1.services.list(limit=1),
    "studio": lambda: client.studio.v2.flows.list(limit=1),
    "video": lambda: client.video.v1.rooms.list(limit=1),
    "page": lambda: client.request("GET", "https://api.twilio.com/2010-04-01/Accounts.json"),
}
for name, ask in asked.items():
    try:
        ask()
        print(name, "ok")
    except TwilioRestException as error:
        print(name, error.code)
    except TwilioException as error:  # A list has the response beside its text.
        print(name, json.loads(error.args[1].text)["code"])
`,
};

/** Output of the walk of either library. */
const expected = ["calls ok", "account ok", "secondary ok"]
  .concat(["lookups", "verify", "conversations", "taskrouter"].map((name) => `${name} 20501`))
  .concat(["messaging", "studio", "video"].map((name) => `${name} 20501`), "page ok");

interface Run {
  printed: string[];
  /** Hosts that were looked up. */
  hosts: Set<string>;
}

async function run(args: string[], env: Record<string, string>): Promise<Run> {
  const command = new Deno.Command(args[0]!, { args: args.slice(1), env });
  const { success, stdout, stderr } = await command.output();
  const told = new TextDecoder().decode(stderr);
  assert.ok(success, told);
  return {
    printed: new TextDecoder().decode(stdout).trim().split("\n"),
    hosts: new Set([...told.matchAll(/^host (.*)$/gm)].map(([, host]) => host!)),
  };
}

/** Names of two, three and more labels, with and without a region. */
const cases: [host: string, env: Record<string, string>][] = [
  ["switchboard.example.com", {}],
  ["switchboard.example.com", { TWILIO_REGION: "us1" }],
  ["example.com", { TWILIO_REGION: "ie1", TWILIO_EDGE: "dublin" }],
  ["switchboard.example.co.uk", { TWILIO_EDGE: "sydney" }],
];

for (const [host, env] of cases) {
  const name = `${host} ${Object.keys(env).join(" ")}`;

  Deno.test(`npm twilio sends requests to no host but ${name}`, async () => {
    await using lab = await startTwilioLab();
    const { sid, token } = lab.app.root;
    for (let n = 0; n < 2; n++) {
      await lab.client.calls.create({ to: "client:a", from: "client:b", url: "https://app.test/" });
    }
    const file = await Deno.makeTempFile({ suffix: ".mjs" });
    const base = lab.url.replace("127.0.0.1", host);
    await Deno.writeTextFile(file, await clientOf("js", "const call", base) + walks.js);
    const preload = `--preload=${peers}loopback_names.cjs`;

    const { printed, hosts } = await run(
      [Deno.execPath(), "run", "-A", "--config", config, preload, file],
      { ...env, TWILIO_ACCOUNT_SID: sid, TWILIO_AUTH_TOKEN: token },
    );

    assert.deepEqual(printed, expected);
    assert.deepEqual([...hosts], [host]);
    await Deno.remove(file);
  });

  Deno.test({ name: `PyPI twilio sends requests to no host but ${name}`, ignore }, async () => {
    await using lab = await startTwilioLab();
    const { sid, token } = lab.app.root;
    const base = lab.url.replace("127.0.0.1", host);

    const { printed, hosts } = await run(
      [python, "-c", await clientOf("python", "call =", base) + walks.python],
      {
        ...env,
        TWILIO_ACCOUNT_SID: sid,
        TWILIO_AUTH_TOKEN: token,
        PYTHONPATH: `${peers}loopback_names`,
      },
    );

    assert.deepEqual(printed, expected);
    assert.deepEqual([...hosts], [host]);
  });
}

Deno.test("without the request client a library calls other hosts, which the test would see", async () => {
  await using lab = await startTwilioLab();
  const { sid, token } = lab.app.root;
  const file = await Deno.makeTempFile({ suffix: ".mjs" });
  await Deno.writeTextFile(
    file,
    `import twilio from "twilio";
     const client = twilio(process.env.TWILIO_ACCOUNT_SID, process.env.TWILIO_AUTH_TOKEN, { timeout: 2000 });
     await client.lookups.v2.phoneNumbers("+14155550100").fetch().catch(() => {});`,
  );
  const preload = `--preload=${peers}loopback_names.cjs`;
  const { hosts } = await run(
    [Deno.execPath(), "run", "-A", "--config", config, preload, file],
    { TWILIO_ACCOUNT_SID: sid, TWILIO_AUTH_TOKEN: token },
  );
  assert.deepEqual([...hosts], ["lookups.twilio.com"]);
  await Deno.remove(file);
});
