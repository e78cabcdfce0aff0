import assert from "node:assert/strict";
import type { Flow } from "../../../sip/base/flow.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { type Binding, createLocation } from "../../../sip/text/location.ts";
import { reopened } from "../../../sip/registrar/path.ts";
import type { Signalling } from "../../../sip/contracts/signalling.ts";
import { handClock } from "../../support/process/hand_clock.ts";

const flowOf = (closed: boolean) => ({ closed, remote: { host: "192.0.2.1", port: 5060 } }) as Flow;

const bindingOf = (key: string, flow: Flow, path: string[] = []): Binding => ({
  key,
  contact: `<sip:${key}@192.0.2.1>`,
  instance: undefined,
  path,
  flow,
  userAgent: undefined,
  proof: "",
  registeredAt: 0,
  expiresAt: Infinity,
  callId: key,
  cseq: 1,
});

/** Alice has a device behind a proxy that takes long to connect to. */
function lab() {
  const clock = handClock();
  const location = createLocation(clock.now);
  const connected = Promise.withResolvers<Flow>();
  const opening = Promise.withResolvers<void>();
  location.put("alice", bindingOf("desk", flowOf(true), ["<sip:192.0.2.1;lr>"]));
  const signalling = {
    location,
    timers: { ...clock, pause: () => Promise.resolve(), clear() {} },
    log() {},
    isPublicAddress: () => true,
    routes: {
      resolve: () => Promise.resolve([{ address: "192.0.2.1", port: 5060 }]),
      open: () => (opening.resolve(), connected.promise),
    },
  } as unknown as Signalling;
  return { clock, location, connected, opening: opening.promise, signalling };
}

const keysOf = (devices: [Binding, ...Binding[]][]) => devices.map(([{ key }]) => key);

Deno.test("reopened() has a device that is there wait a little for one behind a proxy", async () => {
  const { clock, location, connected, opening, signalling } = lab();
  location.put("alice", bindingOf("browser", flowOf(false)));

  const devices = reopened(signalling, "alice");
  await opening;
  clock.advance(sipLimits.pathWaitMs);

  assert.deepEqual(keysOf(await devices), ["browser"]);
  const flow = flowOf(false);
  connected.resolve(flow);
  await connected.promise;
  assert.deepEqual(keysOf(await reopened(signalling, "alice")), ["desk", "browser"]);
  assert.equal(location.find("alice").find(({ key }) => key === "desk")?.flow, flow);
});

Deno.test("reopened() waits for the one device there is, however long that takes", async () => {
  const { clock, connected, opening, signalling } = lab();

  const devices = reopened(signalling, "alice");
  await opening;
  clock.advance(sipLimits.pathWaitMs);
  connected.resolve(flowOf(false));

  assert.deepEqual(keysOf(await devices), ["desk"]);
});
