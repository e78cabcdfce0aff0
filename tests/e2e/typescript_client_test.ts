import assert from "node:assert/strict";
import { openVoice } from "../support/media/voice.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { openClientProject } from "../support/service/client_package.ts";
import { skipped } from "../support/service/openapi_tools.ts";
import { pageCode, runProgram } from "../support/service/page_code.ts";
import { isSound, portOf } from "../support/sip/plain_peer.ts";

const ignore = skipped !== "";
const timeout = 240_000;
const page = "docs/how-to/typescript-client.md";

Deno.test({
  name: `the packed client creates, lists, pages, updates, deletes and reads an error${skipped}`,
  ignore,
  timeout,
  async fn() {
    await using system = await startSystem();
    await using project = await openClientProject();
    const { baseUrl, accountSid, authToken } = system;
    const before = (await system.get("Applications.json")).length;

    await project.compile("applications.mts", await pageCode(page, "applications.mts"));
    const printed = await project.node("applications.mjs", {
      BASE_URL: baseUrl,
      ACCOUNT_SID: accountSid,
      AUTH_TOKEN: authToken,
    });

    const lines = printed.trim().split("\n");
    const listed = lines.filter((line) => line.startsWith("Application "));
    const names = listed.map((line) => line.split(" ")[1]);
    assert.deepEqual(names.slice(0, 5), ["five", "four", "three", "two", "one"]);
    assert.equal(new Set(listed).size, before + 5);
    const rest = lines.slice(listed.length);
    assert.deepEqual(rest.slice(0, 2), ["Pages 2 2", "Updated FIVE"]);
    assert.match(rest[2]!, /^Error 404 true \w+/);
    assert.equal((await system.get("Applications.json")).length, before + 4);
  },
});

/** Uses that the types must refuse, by what the compiler says. */
const mistakes: Record<string, RegExp> = {
  "switchboard.createApplication({ FriendlyNam: 'x' })": /FriendlyNam/,
  "switchboard.createCall({ From: '+15550001' })": /TS2345/,
  "switchboard.listApplications({ PageSize: 'two' })": /TS2322/,
  "switchboard.readApplication()": /TS2554/,
  "markup.response(markup.client({}, 'bob'))": /TS2345/,
  "markup.gather({}, markup.hangup({}))": /TS2345/,
  "markup.pause({ length: 'x' })": /TS2322/,
};

Deno.test({
  name: `the types of the client refuse unknown parameters, values and elements${skipped}`,
  ignore,
  timeout,
  async fn() {
    await using project = await openClientProject();
    const statements = Object.keys(mistakes);
    const source = `import { connect, markup } from "switchboard-client";
const switchboard = connect({ baseUrl: "", accountSid: "", authToken: "" });
${statements.map((statement) => `void ${statement};`).join("\n")}`;

    const refused = await project.compile("mistakes.mts", source).then(() => "", String);

    for (const [at, statement] of statements.entries()) {
      const line = refused.split("\n").find((line) => line.includes(`mistakes.mts(${at + 3},`));
      assert.match(line ?? "", mistakes[statement]!, statement);
    }
  },
});

Deno.test({
  name: `the client verifies a real webhook, and the service performs its markup${skipped}`,
  ignore,
  timeout,
  async fn() {
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    await using project = await openClientProject();
    await project.compile("menu.mts", await pageCode(page, "menu.mts"));
    const env = { AUTH_TOKEN: system.authToken };
    await using program = await runProgram(project.directory, "menu.mjs", env);
    const voiceUrl = `http://127.0.0.1:${program.port}/voice?menu=main`;
    const form = { Login: "caller", Password: "caller-secret", VoiceUrl: voiceUrl };
    await system.post("Clients.json", form);

    const caller = await system.phone("caller");
    const voice = await openVoice();
    const dialog = await caller.call("anything", { sdp: voice.sdp }).answered;
    voice.speakTo(portOf(dialog.remoteSdp));
    await eventually("the menu is heard", () => voice.heard.some(isSound));
    voice.press("1");
    const line = await program.line("Pressed");
    await voice.close();

    assert.equal(line, "Pressed 1 /chosen?menu=main&round=1");
    const { notifications } = await system.get("Notifications.json");
    assert.deepEqual(notifications, [], "no part of the markup is skipped");
    const forged = await fetch(voiceUrl, {
      method: "POST",
      headers: {
        "X-Switchboard-Signature": `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}`,
      },
      body: "CallSid=CA1",
    });
    assert.equal(forged.status, 403);
    await forged.body?.cancel();
  },
});
