import {
  type BrowserLab,
  connect,
  hearEachOther,
  putThrough,
  softphoneTest,
} from "../../support/browsers/browser_lab.ts";
import type { BrowserSoftphone, SoftphoneKind } from "../../support/browsers/browser_softphone.ts";

const other = { "sip.js": "jssip", jssip: "sip.js" } as const;

interface Party {
  alice: BrowserSoftphone;
  bob: BrowserSoftphone;
  carol: BrowserSoftphone;
}

/** Alice and carol have the same softphone, bob the other one. */
async function threePhones(lab: BrowserLab, kind: SoftphoneKind): Promise<Party> {
  const alice = await lab.phone(kind, "alice");
  const bob = await lab.phone(other[kind], "bob");
  return { alice, bob, carol: await lab.phone(kind, "carol") };
}

/** After a transfer: the two who are left talk until one hangs up. */
async function talkAndPart({ bob, carol }: Party) {
  await hearEachOther(bob, carol);
  await carol.hangup();
  await Promise.all([bob.waitFor("ended"), carol.waitFor("ended")]);
}

/** Where media pass by us, the one transferred does the work: then each library has to be it. */
const blindly = [["sip.js", "anchored"], ["sip.js", "proxied"], ["jssip", "proxied"]] as const;
const attended = [["jssip", "anchored"], ["sip.js", "proxied"], ["jssip", "proxied"]] as const;

for (const [kind, media] of blindly) {
  softphoneTest(`${kind} transfers blindly with ${media} media`, async (lab) => {
    const party = await threePhones(lab, kind);
    const { alice, bob, carol } = party;
    putThrough(lab, { media });
    await connect(alice, bob, "bob");

    await alice.transfer("carol");
    await alice.waitFor("transferred");
    await carol.waitFor("answered");
    if (media === "proxied") await bob.waitFor("answered");
    await alice.waitFor("ended");

    // Bob's first call ends where he made a second one.
    if (media === "proxied") await bob.waitFor("ended");
    await talkAndPart(party);
  });
}

softphoneTest(
  "jssip hears ringing while it is transferred, and the transferor again after a refusal",
  async (lab) => {
    const party = await threePhones(lab, "sip.js");
    const { alice, bob, carol } = party;
    putThrough(lab, { media: "anchored" });
    await connect(alice, bob, "bob");
    await carol.setAnswerMode("manual");

    await alice.transfer("carol");
    await carol.waitFor("incoming");
    await bob.awaitTone(425);
    await carol.decline();
    await alice.waitFor("transferFailed");
    await hearEachOther(alice, bob);

    await alice.transfer("carol");
    await carol.waitFor("incoming");
    await bob.awaitTone(425);
    await carol.answer();
    await alice.waitFor("transferred");
    await carol.waitFor("answered");
    await alice.waitFor("ended");
    await talkAndPart(party);
  },
);

for (const [kind, media] of attended) {
  softphoneTest(`${kind} transfers to its consultation call, with ${media} media`, async (lab) => {
    const party = await threePhones(lab, kind);
    const { alice, bob, carol } = party;
    putThrough(lab, { media });
    await connect(alice, bob, "bob");
    await alice.hold();
    await alice.waitFor("held");
    await connect(alice, carol, "carol");

    await alice.transferToNewest();
    await alice.waitFor("transferred");
    await alice.waitFor("ended");
    await alice.waitFor("ended");

    // Where media pass by us, both talk in calls that they made or took for it.
    if (media === "proxied") {
      await Promise.all([bob, carol].map((phone) => phone.waitFor("answered")));
      await Promise.all([bob, carol].map((phone) => phone.waitFor("ended")));
    }
    await talkAndPart(party);
  });
}
