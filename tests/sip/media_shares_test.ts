import assert from "node:assert/strict";
import { learnTenants } from "../../core/base/learned_tenants.ts";
import { createSharedMedia, pairsOfSystem } from "../../sip/media_shares.ts";
import { type MediaLeg, MediaShortage } from "../../sip/media/base/port.ts";
import { fakeMedia, foreignSdp } from "../support/media/fake_media.ts";
import { plainOffer } from "../support/sip/plain_peer.ts";

const browserOffer = "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n";

const isRefused = (error: unknown) => error instanceof MediaShortage && error.of === "share";

/** As many legs as an account gets. */
async function takeAll(
  media: ReturnType<typeof createSharedMedia>,
  accountSid: string,
): Promise<MediaLeg[]> {
  const legs: MediaLeg[] = [];
  for (;;) {
    try {
      legs.push(await media.offer("rtp", { accountSid }));
    } catch (error) {
      assert.ok(isRefused(error), String(error));
      return legs;
    }
  }
}

Deno.test("a tenant, by its sub-accounts too, leaves a quarter of the ports to others", async () => {
  const engine = fakeMedia();
  const media = createSharedMedia(engine, 100);
  learnTenants({ "AC-flooder-sub": "AC-flooder" });
  const sub = await takeAll(media, "AC-flooder-sub");
  assert.equal(sub.length, 75);
  assert.equal((await takeAll(media, "AC-flooder")).length, 0);
  assert.deepEqual(media.fullTenants(), ["AC-flooder"]);
  assert.equal(media.hasRoomFor!("AC-flooder", plainOffer(4_000)), false);
  await assert.rejects(media.answer(plainOffer(4_000), { accountSid: "AC-flooder" }), isRefused);

  // Others have six times what is free beyond the reserve, and a call each when that is taken.
  for (let n = 0; n < 8; n++) {
    assert.equal(media.hasRoomFor!(`AC-${n}`, plainOffer(4_000)), true);
    assert.equal((await takeAll(media, `AC-${n}`)).length, [11, 2][n] ?? 2);
  }

  // Browsers take none, and what ends gives back.
  await media.answer(browserOffer, { accountSid: "AC-flooder" }).catch(() => {});
  assert.equal(media.hasRoomFor!("AC-flooder", browserOffer), true);
  for (const leg of sub) {
    leg.close();
    leg.close();
  }
  assert.deepEqual(media.fullTenants(), []);
  assert.equal((await takeAll(media, "AC-flooder")).length, 54);
});

Deno.test("a leg that cannot be made holds no ports; the operator has no bound, nor has any port", async () => {
  const engine = fakeMedia();
  const media = createSharedMedia(engine, 8);
  const accountSid = "AC-one";
  for (let n = 0; n < 20; n++) {
    await assert.rejects(media.answer(foreignSdp, { accountSid }));
  }
  assert.equal((await takeAll(media, accountSid)).length, 6);
  await assert.rejects(media.answer(plainOffer(4_000), { accountSid }), isRefused);
  media.learnOperator("AC-root");
  for (let n = 0; n < 10; n++) await media.offer("rtp", { accountSid: "AC-root" });

  const unbounded = createSharedMedia(engine, 0);
  for (let n = 0; n < 100; n++) await unbounded.offer("rtp", { accountSid });
  assert.deepEqual(unbounded.fullTenants(), []);
});

Deno.test("tenants that want all ports share them evenly, whoever came first", async () => {
  const media = createSharedMedia(fakeMedia(), 400);
  const first = await takeAll(media, "AC-first");
  assert.equal(first.length, 300);
  const legs = new Map([["AC-first", first]]);
  for (const tenant of ["AC-second", "AC-third"]) legs.set(tenant, await takeAll(media, tenant));
  // Calls end one after another, and each tenant asks for as many as it can have.
  for (let n = 0; n < 400; n++) {
    for (const [tenant, held] of legs) {
      held.shift()?.close();
      for (const asking of [tenant, ...legs.keys()]) {
        legs.get(asking)!.push(...await takeAll(media, asking));
      }
    }
  }
  const shares = [...legs.values()].map(({ length }) => length);
  for (const share of shares) assert.ok(share >= 90 && share <= 125, `have ${shares}`);
  assert.ok(shares.reduce((sum, one) => sum + one) <= 350, "an eighth is kept for others");
  for (let n = 0; n < 8; n++) assert.ok((await takeAll(media, `AC-${n}`)).length >= 6);
});

Deno.test("where the system chooses ports, tenants share the pairs that descriptors are left for", async () => {
  assert.equal(pairsOfSystem(512), 256);
  assert.equal(pairsOfSystem(500_000), 14_000);
  const media = createSharedMedia(fakeMedia(), pairsOfSystem(64));
  assert.equal((await takeAll(media, "AC-flooder")).length, 24);
  assert.ok((await takeAll(media, "AC-other")).length >= 2);
});
