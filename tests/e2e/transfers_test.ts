import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { startCompanion } from "../support/service/second_companion.ts";
import { startSystem } from "../support/process/system.ts";
import { closeAll, gone, talkAt, type Talker, there } from "../support/media/talker.ts";
import { told } from "../support/sip/transfer_lab.ts";

const env = { RTP_PORTS: "0" };
const ringing = 425;
const rings = (level: number) => level > 1_000;

const refer = async ({ dialog }: Talker, to: string) => {
  const { status } = await dialog.request("REFER", {
    headers: [`Refer-To: <sip:${to}@localhost>`],
  });
  assert.equal(status, 202);
};

Deno.test("a caller taken from a queue elsewhere hears ringing while a transfer rings, and then its target", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env });
  await using second = await startCompanion(system, env);
  const lobby = `<Response><Dial><Conference beep="false">lobby</Conference></Dial></Response>`;
  app.pages.set("/bob", `<Response><Enqueue>help</Enqueue></Response>`);
  app.pages.set("/alice", `<Response><Dial><Queue>help</Queue></Dial></Response>`);
  app.pages.set("/carol", lobby);
  for (const Login of ["alice", "bob", "carol"]) {
    const VoiceUrl = `${app.url}/${Login}`;
    await system.post("Clients.json", { Login, Password: `${Login}-secret`, VoiceUrl });
  }
  const number = { PhoneNumber: "+15005550123", VoiceUrl: `${app.url}/carol` };
  await system.post("IncomingPhoneNumbers.json", number);
  const bob = await talkAt(await second.phone("bob"), "sip:help@localhost", 750);
  const alice = await talkAt(await system.phone("alice"), "sip:take@localhost", 500);
  await bob.untilHears([500], ([a]) => there(a!));

  const phone = await second.phone("carol");
  await refer(alice, "carol");
  const incoming = await phone.nextCall();
  incoming.ring();
  await bob.untilHears([ringing], ([level]) => rings(level!));
  assert.ok(gone((await alice.hears(ringing))[0]!), "who transfers hears no ringing");
  incoming.decline(486);
  const refused = await told({ phone, dialog: alice.dialog });
  assert.equal(refused.at(-1), "SIP/2.0 486 Busy Here");
  await bob.untilHears([500, ringing], ([a, tone]) => there(a!) && !rings(tone!));
  await alice.untilHears([750], ([b]) => there(b!));

  const carol = await talkAt(phone, "sip:lobby@localhost", 1_000);
  await refer(alice, "+15005550123");
  assert.equal((await told({ phone, dialog: alice.dialog })).at(-1), "SIP/2.0 200 OK");
  await alice.dialog.ended;
  await bob.untilHears([500, 1_000], ([a, c]) => gone(a!) && there(c!));
  await carol.untilHears([500, 750], ([a, b]) => gone(a!) && there(b!));
  await Promise.all([bob.dialog.bye(), carol.dialog.bye()]);
  await closeAll([alice, bob, carol]);
});
