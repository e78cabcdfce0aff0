import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, notifications, xml } from "../support/service/hand_companion.ts";

const far = "+442079460000";
const noun = "<Sip>sip:bob@sip.test?X-Ticket=7</Sip>";

/** A call to Alice, answered, whose document is given; and the script of it. */
async function answered(app: App, body: string) {
  for (const Login of ["alice", "bob"]) {
    await made(app.root, "Clients", { Login, Password: "pass" });
  }
  app.answers = (request) =>
    request.url === "https://app.test/voice" ? xml(body) : xml("<Hangup/>");
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "sip-1" });
  return { sid, leg, script: await leg.report({ type: "answered" }) };
}

const action = { url: "https://app.test/referred", method: "POST", hops: 0 } as const;

Deno.test("a Refer names a target that the account could call, and marks one outside of the service", async () => {
  using app = await startApp();
  await made(app.root, "Management/Gateways", {
    UserName: "trunk",
    Password: "pass",
    Proxy: "carrier.test",
  });
  const { script } = await answered(
    app,
    `<Refer action="/referred">${noun}</Refer><Refer><Uri>tel:${far};x=1</Uri></Refer>
     <Refer><Sip>sip:far@other.test</Sip></Refer>`,
  );

  assert.deepEqual(script, [
    {
      type: "refer",
      to: "sip:bob@sip.test",
      leaves: false,
      headers: { "X-Ticket": "7" },
      action: { ...action, hops: 1 },
    },
    { type: "refer", to: far, leaves: true },
    { type: "hangup", cause: "end-of-markup" },
  ]);
  const [notice] = await notifications(app);
  assert.match(
    notice ?? "",
    /^Cannot route the call: .*sip:far@other\.test: .*does not allow calls/,
  );
});

Deno.test("the action of a Refer gets its outcome", async () => {
  using app = await startApp();
  const { leg, script } = await answered(app, `<Refer action="/referred">${noun}</Refer>`);
  const done = { type: "referred", to: "sip:bob@sip.test", sipStatus: 200, action } as const;

  assert.equal(script[0]?.type, "refer");
  const next = await leg.report({ ...done, outcome: "completed" }, { wantsScript: true });

  assert.deepEqual(next, [{ type: "hangup" }]);
  const form = new URLSearchParams(await app.fetched.at(-1)!.clone().text());
  assert.equal(form.get("ReferCallStatus"), "completed");
  assert.equal(form.get("ReferSipResponseCode"), "200");
  assert.deepEqual(await notifications(app), []);
});

Deno.test("the action of a Refer is requested also when the caller has left, and a failure noted", async () => {
  using app = await startApp();
  const { leg } = await answered(app, `<Refer action="/referred">${noun}</Refer>`);
  const failed = { type: "referred", to: "sip:bob@sip.test", outcome: "busy" } as const;

  await leg.report({ ...failed, action, sipStatus: 486 }, { wantsScript: false });
  await leg.repeat();
  await app.runJobs();

  const told = app.fetched.filter(({ url }) => url === action.url);
  const forms = await Promise.all(told.map(async (one) => new URLSearchParams(await one.text())));
  assert.deepEqual(
    forms.map((form) => [form.get("ReferCallStatus"), form.get("ReferSipResponseCode")]),
    [["busy", "486"]],
  );
  const notices = await notifications(app);
  assert.equal(notices.length, 1);
  assert.match(notices[0]!, /sip:bob@sip\.test: busy \(SIP 486\)/);
});
