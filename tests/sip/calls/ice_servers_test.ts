import assert from "node:assert/strict";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { openSoftphone } from "../../support/sip/softphone.ts";
import { valuesOf } from "../../support/sip/sip_text.ts";

const iceServersOf = (login: string) => [{ urls: "turn:turn.test", username: `1:${login}` }];

sipTest("register() tells a Client over WebSocket its ICE servers", async () => {
  await using lab = await startSipLab({ iceServersOf });
  const phone = await lab.phone("alice", { register: false });

  const response = await phone.register();

  const [header] = valuesOf(response, "x-ice-servers");
  assert.deepEqual(JSON.parse(atob(header!)), iceServersOf("alice"));
});

sipTest(
  "register() tells nobody else ICE servers: no challenge and no refusal has them",
  async () => {
    await using lab = await startSipLab({ iceServersOf });
    const anonymous = await lab.phone("alice", { register: false });
    const wrong = await openSoftphone({
      url: lab.companion.sipUrl,
      login: "alice",
      password: "guess",
      domain: testDomain,
    });

    const challenge = await anonymous.request("REGISTER");
    const refusal = await wrong.register();
    await wrong.close();

    assert.equal(challenge.status, 401);
    assert.equal(refusal.status, 401);
    for (const response of [challenge, refusal]) {
      assert.deepEqual(valuesOf(response, "x-ice-servers"), []);
    }
  },
);

sipTest("register() leaves ICE servers out where there are none", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  assert.deepEqual(valuesOf(await phone.register(), "x-ice-servers"), []);
});
