import assert from "node:assert/strict";
import { messageLimits } from "../../../core/protocol/messages.ts";
import type { Signalling } from "../../../sip/contracts/signalling.ts";
import { sendOutward } from "../../../sip/script/trunk_message.ts";
import type { Target } from "../../../sip/transport/resolve.ts";

Deno.test("sendOutward() gives no further server a text once the service may not wait", async () => {
  let at = 0;
  let opened = 0;
  // The parts that a server out of reach needs: each takes a part of the time.
  const signalling = {
    holds: {
      isSilent: () => false,
      isUnknown: () => false,
      heldMs: () => 0,
      miss() {},
    },
    routes: {
      resolve: () => Promise.resolve(Array<Target>(5).fill({} as Target)),
      open() {
        opened++;
        at += 0.6 * messageLimits.outwardSearchMs;
        return Promise.reject(new Error("out of reach"));
      },
    },
    log: assert.fail,
  } as unknown as Signalling;
  const route = { gatewaySid: null, proxy: "proxy.test", publicOnly: false };
  const order = { sid: "SM1", from: "+15550001", to: "+15550002", body: "Hello", routes: [route] };

  const outcome = await sendOutward(signalling, order, () => at);

  assert.deepEqual([outcome, opened], [{ status: null }, 2]);
});
