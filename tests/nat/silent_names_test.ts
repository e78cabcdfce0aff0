import assert from "node:assert/strict";
import { writeWav } from "../../core/base/wav.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";
import { eventually } from "../support/process/eventually.ts";
import { startNameServer } from "../support/process/name_server.ts";
import { natTest } from "../support/process/nat_lab.ts";
import { hosts } from "../support/process/nat_network.ts";
import type { System } from "../support/process/system.ts";
import { openSoftphone } from "../support/sip/softphone.ts";

/** The name of the application server in the zone of the name server. */
const appName = "app.test";

/** A tenant, with a phone of its own. */
async function makeTenant(system: System, name: string) {
  const root = `Basic ${btoa(`${system.accountSid}:${system.authToken}`)}`;
  const request = async (authorization: string, path: string, form?: Record<string, string>) => {
    const response = await fetch(`${system.baseUrl}/2012-04-24/Accounts${path}`, {
      headers: { authorization },
      ...form && { method: "POST", body: new URLSearchParams(form) },
    });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const { sid, auth_token: token } = await request(root, ".json", {
    FriendlyName: name,
    EmailAddress: `${name}@example.com`,
    Password: "Correct-Horse-9",
  });
  const own = `Basic ${btoa(`${sid}:${token}`)}`;
  const ask = (path: string, form?: Record<string, string>) => request(own, `/${sid}${path}`, form);
  await ask("/Clients.json", { Login: name, Password: `${name}-secret` });
  return { ask };
}

natTest(
  import.meta.url,
  "silent name servers of one tenant delay no call and no callback of another",
  async (lab) => {
    const directory = `/etc/netns/${lab.network}-alone`;
    await Deno.mkdir(directory, { recursive: true });
    await using _stack = new AsyncDisposableStack();
    _stack.defer(() => Deno.remove(directory, { recursive: true }));
    await Deno.writeTextFile(`${directory}/resolv.conf`, "nameserver 127.0.0.1\n");
    await Deno.writeTextFile(`${directory}/hosts`, "127.0.0.1 localhost listed\n");
    const silent = new Set<string>();
    await using _server = await startNameServer(({ name, type }) => {
      if (name === appName) return type === "A" ? { records: [{ address: hosts.alone }] } : {};
      if (!name.endsWith(".silent.test")) return { code: 3 };
      silent.add(name);
      return null;
    }, { port: 53 });
    const { port } = new URL(lab.app.url);
    const system = await lab.start("alone", hosts.alone, {});
    const [guilty, other] = [await makeTenant(system, "guilty"), await makeTenant(system, "other")];
    const phone = await openSoftphone({
      url: system.wsUrl,
      login: "other",
      password: "other-secret",
      domain: "localhost",
    });
    _stack.defer(() => phone.close());
    assert.equal((await phone.register()).status, 200);
    const [pid] = system.pids("main.ts");
    const threads = async () => {
      const status = await Deno.readTextFile(`/proc/${pid}/status`);
      return Number(/Threads:\s+(\d+)/.exec(status)![1]);
    };

    let tones = 0;
    /** A call of the other tenant, whose servers are given by a name, from its begin to its end. */
    async function callOf(host: string) {
      const at = `http://${host}:${port}`;
      const tone = `/tone-${++tones}.wav`;
      lab.app.pages.set(tone, writeWav(new Int16Array(800), 8_000));
      lab.app.pages.set("/voice", `<Response><Play>${tone}</Play><Hangup/></Response>`);
      const { sid } = await other.ask("/Calls.json", {
        From: "+15005550006",
        To: "client:other",
        Url: `${at}/voice`,
        StatusCallback: `${at}/events`,
        StatusCallbackEvent: "initiated answered completed",
      });
      const call = await phone.nextCall();
      await call.answer(webrtcAnswer(call.invite.body));
      const told = () =>
        lab.app.requests.filter(({ form }) => form.CallSid === sid)
          .map(({ path, form }) => `${path} ${form.CallStatus}`);
      const isTold = (what: string) =>
        eventually(() => `${what} of ${told()}`, () => told().includes(what));
      await isTold("/voice in-progress");
      await lab.app.asked(tone); // The companion requests it.
      await other.ask(`/Calls/${sid}.json`, { Status: "completed" });
      await isTold("/events completed");
      const { notifications } = await other.ask(`/Calls/${sid}/Notifications.json`);
      assert.deepEqual(notifications, []);
    }
    for (const host of [appName, "localhost", "listed"]) await callOf(host);
    const before = await threads();

    // Names that the companion looks up.
    for (let i = 0; i < 40; i++) {
      const Proxy = `g${i}.silent.test`;
      await guilty.ask("/Management/Gateways.json", {
        UserName: "u",
        Password: "secret-word",
        Proxy,
      });
    }
    for (const count of [60, 150]) {
      for (let i = 0; i < count; i++) {
        const at = `http://n${count}-${i}.silent.test`;
        const form = { From: "+15005550006", To: "client:nobody", Url: at, StatusCallback: at };
        await guilty.ask("/Calls.json", form);
      }
      await eventually("names are looked up", () => silent.size >= count / 4);
      for (const host of [appName, "localhost", "listed"]) await callOf(host);
      assert.ok(await threads() - before < 8, "look-ups hold no threads");
    }
  },
  "alone",
);
