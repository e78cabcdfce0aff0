import assert from "node:assert/strict";
import { startTwilioLab } from "../support/service/twilio_lab.ts";
import { pageText } from "../support/service/page_commands.ts";

const cache = Deno.env.get("SWITCHBOARD_PEERS") ??
  `${Deno.env.get("HOME") ?? "/root"}/.cache/switchboard-peers`;
const python = `${cache}/twilio/bin/python`;
const isThere = await Deno.stat(python).then(() => true, () => false);
const ignore = !isThere && Deno.env.get("CI") === undefined;

const judge = new URL("../support/peers/twilio/judge.py", import.meta.url).pathname;

async function run(args: string[], env: Record<string, string> = {}): Promise<string> {
  const command = new Deno.Command(args[0]!, { args: args.slice(1), env });
  const { success, stdout, stderr } = await command.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test({ name: "PyPI twilio works every noun of the interface", ignore }, async () => {
  await using lab = await startTwilioLab();
  const { sid, token } = lab.app.root;
  await lab.app.root.post("OutgoingCallerIds.json", { PhoneNumber: "+14155550101" });

  assert.equal(await run([python, judge, lab.url, sid, token]), "done\n");
});

/** The first program of the page in a language, or another, with the address of the service of the test. */
async function program(language: string, url: string, at = 0): Promise<string> {
  const text = await pageText("docs/how-to/migrate-from-twilio.md");
  const found = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))];
  const [, code] = found[at] ?? [];
  assert.ok(code, language);
  return code.replaceAll("http://127.0.0.1:8080", url);
}

Deno.test("the program for Node of the page of Twilio places a call", async () => {
  await using lab = await startTwilioLab();
  const { sid, token } = lab.app.root;
  const file = await Deno.makeTempFile({ suffix: ".mjs" });
  await Deno.writeTextFile(file, await program("js", lab.url));
  const config = new URL("../deno.json", import.meta.url).pathname;

  const printed = await run([Deno.execPath(), "run", "-A", "--config", config, file], {
    TWILIO_ACCOUNT_SID: sid,
    TWILIO_AUTH_TOKEN: token,
  });

  const [call] = await lab.client.calls.list();
  assert.equal(printed, `${call!.sid}\n`);
  await Deno.remove(file);
});

for (const [at, which] of ["program", "asynchronous program"].entries()) {
  Deno.test(
    { name: `the ${which} for Python of the page of Twilio places a call`, ignore },
    async () => {
      await using lab = await startTwilioLab();
      const { sid, token } = lab.app.root;

      const printed = await run([python, "-c", await program("python", lab.url, at)], {
        TWILIO_ACCOUNT_SID: sid,
        TWILIO_AUTH_TOKEN: token,
      });

      const [call] = await lab.client.calls.list();
      assert.equal(printed, `${call!.sid}\n`);
    },
  );
}

Deno.test("the request client for old versions of npm twilio sends requests to the service", async () => {
  await using lab = await startTwilioLab();
  const { sid, token } = lab.app.root;
  const file = await Deno.makeTempFile({ suffix: ".mjs" });
  const rest = `
    import { createRequire } from "node:module";
    import twilio from "twilio";
    const require = createRequire(import.meta.resolve("twilio"));
    ${await program("js", lab.url, 1)}
    const options = { httpClient: new Switchboard() };
    const client = twilio(process.env.TWILIO_ACCOUNT_SID, process.env.TWILIO_AUTH_TOKEN, options);
    console.log((await client.api.accounts(process.env.TWILIO_ACCOUNT_SID).fetch()).sid);
  `;
  await Deno.writeTextFile(file, rest);
  const config = new URL("../deno.json", import.meta.url).pathname;

  const printed = await run([Deno.execPath(), "run", "-A", "--config", config, file], {
    TWILIO_ACCOUNT_SID: sid,
    TWILIO_AUTH_TOKEN: token,
  });

  assert.equal(printed, `${sid}\n`);
  await Deno.remove(file);
});
