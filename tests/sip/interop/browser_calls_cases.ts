import assert from "node:assert/strict";
import {
  connect,
  hearEachOther,
  putThrough,
  softphoneTest,
} from "../../support/browsers/browser_lab.ts";

for (const kind of ["sip.js", "jssip"] as const) {
  softphoneTest(`${kind} ends a dial by a star, as INFO and as telephone event`, async (lab) => {
    const caller = await lab.phone(kind, "alice");
    const callee = await lab.phone("jssip", "bob");
    putThrough(lab, { media: "anchored", hangupOnStar: true });

    await connect(caller, callee, "bob");
    await caller.sendDigit("1");
    assert.equal((await caller.waitFor("INFO answered")).detail, "200");
    await caller.sendDigit("*");
    await Promise.all([caller.waitFor("ended"), callee.waitFor("ended")]);

    await connect(caller, callee, "bob");
    await caller.pressDigits("1*");
    await Promise.all([caller.waitFor("ended"), callee.waitFor("ended")]);
  });

  softphoneTest(`${kind} hears sip.js before it answers (RFC 3262)`, async (lab) => {
    const caller = await lab.phone(kind, "alice");
    const callee = await lab.phone("sip.js", "bob");
    await callee.setAnswerMode("manual");
    putThrough(lab, { media: "anchored" });

    await caller.call("bob");
    await callee.waitFor("incoming");
    await callee.early();
    await callee.waitFor("PRACK received");
    await caller.awaitAudio(25);
    assert.ok(!caller.events().some(({ name }) => name === "answered"));
    await callee.answer();
    await Promise.all([caller.waitFor("answered"), callee.waitFor("answered")]);
    await hearEachOther(caller, callee);
  });
}

for (const kind of ["sip.js", "jssip"] as const) {
  for (const media of ["anchored", "proxied"] as const) {
    softphoneTest(`${kind} keeps its ${media} call when it restarts ICE`, async (lab) => {
      const [caller, callee] = [await lab.phone(kind, "alice"), await lab.phone("sip.js", "bob")];
      putThrough(lab, { media });
      await connect(caller, callee, "bob");

      for (const phone of [caller, callee, caller]) {
        await phone.restartIce();
        await hearEachOther(caller, callee);
      }

      // What is asked later is by the new names, and no restart.
      await callee.hold();
      await callee.waitFor("held");
      await callee.resume();
      await callee.waitFor("resumed");
      await hearEachOther(caller, callee);
      await caller.hangup();
      await Promise.all([caller.waitFor("ended"), callee.waitFor("ended")]);
    });
  }
}

softphoneTest("jssip keeps its call when its connection is lost", async (lab) => {
  const [caller, callee] = [await lab.phone("jssip", "alice"), await lab.phone("sip.js", "bob")];
  putThrough(lab, { media: "proxied" });
  await connect(caller, callee, "bob");

  await caller.dropSocket();
  await caller.waitFor("registered");
  await hearEachOther(caller, callee);

  // In either direction the dialog goes on by the new connection.
  await callee.hold();
  await callee.waitFor("held");
  await caller.hangup();
  await Promise.all([caller.waitFor("ended"), callee.waitFor("ended")]);
});

softphoneTest(
  "sip.js gives its call up when its connection is lost, and the peer is told",
  async (lab) => {
    const [caller, callee] = [await lab.phone("sip.js", "alice"), await lab.phone("jssip", "bob")];
    putThrough(lab, { media: "anchored" });
    await connect(caller, callee, "bob");

    await caller.dropSocket();
    await callee.waitFor("ended");
    await caller.waitFor("registered");
    await connect(callee, caller, "alice");
  },
);

softphoneTest("jssip and the companion keep a session alive (RFC 4028)", async (lab) => {
  const [caller, callee] = [await lab.phone("jssip", "alice"), await lab.phone("jssip", "bob")];
  putThrough(lab, { media: "anchored" });

  await connect(caller, callee, "bob");
  // JsSIP refreshes on either side unless it is told not to.
  for (let refreshes = 0; refreshes < 3; refreshes++) {
    const answers = [caller, callee].map((phone) => phone.waitFor("UPDATE answered"));
    for (const { detail } of await Promise.all(answers)) assert.equal(detail, "200");
  }

  await hearEachOther(caller, callee);
}, {
  companion: { sessionBounds: { expiresS: 2, minSeS: 2 } },
  account: { sessionExpiresS: 2 },
});
