import assert from "node:assert/strict";
import { mock } from "node:test";
import { limits } from "../../../core/base/limits.ts";
import { leaseKeeper } from "../../../kv/jobs/leases.ts";
import type { HeldJob } from "../../../kv/jobs/queue.ts";

const held = (versionstamp: string): HeldJob => ({
  job: {
    id: "j",
    lane: "l",
    kind: "k",
    args: {},
    attempt: 1,
    owner: "us",
    madeAt: 0,
    series: null,
  },
  key: ["j", versionstamp],
  versionstamp,
});

/** Lets what is under way go on. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

for (const isThere of [true, false]) {
  Deno.test(`a renewal without an answer, which was ${isThere ? "" : "not "}written, is looked for`, async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const renewals: (() => Promise<HeldJob | null>)[] = [
        () => Promise.reject(new Error("the store does not respond")),
        () => Promise.resolve(null),
      ];
      const sought: (readonly number[])[] = [];
      let now = 1_000;
      const keep = leaseKeeper(
        {
          renew: () => renewals.shift()!(), // There are as many as renewals are due.
          find(_held, untils) {
            sought.push([...untils]);
            return Promise.resolve(isThere ? held("2") : null);
          },
        },
        { steadyNow: () => now, log() {} },
        new AbortController().signal,
      );
      const lease = keep(held("1"));
      for (let n = 0; n < 2; n++) {
        mock.timers.tick(limits.jobLeaseMs / 3);
        await settle();
        now += 10_000;
      }

      assert.deepEqual(sought, [[1_000 + limits.jobLeaseMs]]);
      assert.equal(lease.signal.aborted, !isThere);
      assert.equal((await lease.end()).versionstamp, isThere ? "2" : "1");
    } finally {
      mock.timers.reset();
    }
  });
}
