import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { type Machine, startMachine } from "../support/process/machine.ts";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";
import type { Softphone } from "../support/sip/softphone.ts";
import type { PhoneDialog } from "../support/sip/softphone_dialog.ts";

/** Has a machine's service place a call to a phone, which answers it. */
async function placed(
  machine: Machine,
  { phone, login, app }: { phone: Softphone; login: string; app: AppServer },
): Promise<{ sid: string; dialog: PhoneDialog }> {
  const { sid } = await machine.post("Calls.json", {
    From: "me",
    To: `client:${login}`,
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/events`,
    StatusCallbackEvent: "answered completed",
  });
  const ringing = await phone.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await app.asked("/voice", ({ CallSid }) => CallSid === sid);
  return { sid, dialog };
}

const statusOf = async (machine: Machine, sid: string): Promise<string> =>
  (await machine.get(`Calls/${sid}.json`)).status;

const inTime = { timeout: 300_000 };

Deno.test("a rolling restart of two services and two companions ends no call", inTime, async () => {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
  await using store = startKvConnect();
  await using one = await startMachine("one", store.url);
  await using two = await startMachine("two", store.url);
  const made: string[] = [];
  const call = async (machine: Machine, phone: Softphone, login: string) => {
    const live = await placed(machine, { phone, login, app });
    made.push(live.sid);
    return live;
  };

  for (
    const [machine, other, logins] of [
      [one, two, ["anna", "bert", "carl"]],
      [two, one, ["dora", "erik", "fred"]],
    ] as const
  ) {
    for (const Login of logins) {
      await machine.post("Clients.json", { Login, Password: `${Login}-secret` });
    }
    const [first, second, third] = logins;
    const short = await call(machine, await machine.phone(first), first);
    const long = await call(other, await machine.phone(second), second);

    // A call that ends while its service is away is recorded when that is back.
    assert.equal(await machine.stop("api"), 0);
    await short.dialog.bye();
    assert.equal(await statusOf(other, long.sid), "in-progress");
    await machine.start("api");
    await eventually(
      "the end of the call is recorded",
      async () => await statusOf(other, short.sid) === "completed",
    );

    // The companion waits for its call, while others are placed at the other companion.
    const stopped = machine.stop("sip");
    await eventually("it drains", () => machine.isDraining());
    const meanwhile = await call(machine, await other.phone(third), third);
    assert.equal(await statusOf(machine, long.sid), "in-progress");
    await long.dialog.bye();
    assert.equal(await stopped, 0);
    assert.equal(await statusOf(machine, long.sid), "completed");
    await machine.start("sip");
    assert.equal(await statusOf(machine, meanwhile.sid), "in-progress");
    await meanwhile.dialog.bye();
    const again = await call(other, await machine.phone(first), first);
    await again.dialog.bye();
  }

  await eventually("all calls are recorded", async () => {
    const statuses = await Promise.all(made.map((sid) => statusOf(one, sid)));
    return statuses.every((status) => status === "completed");
  });
  const completed = () => app.sent("/events").filter((sent) => sent.CallStatus === "completed");
  await eventually("all callbacks have come", () => completed().length >= made.length);
  assert.deepEqual(completed().map(({ CallSid }) => CallSid).sort(), made.toSorted());
  assert.deepEqual((await one.get("Notifications.json")).notifications, []);
});
