import assert from "node:assert/strict";
import { agentRequests } from "../../../../core/machine/net/agent_request.ts";
import { timeLimit } from "../../../../core/base/time_limit.ts";
import {
  companionRequests,
  readyPath,
  serviceRequests,
} from "../../../../core/protocol/requests.ts";
import { createServiceLink } from "../../../../sip/service/service_link.ts";
import { createTimers } from "../../../../sip/base/timers.ts";
import { eventually } from "../../../support/process/eventually.ts";
import { startSilentServer } from "../../../support/process/silent_server.ts";

/** Long enough for a busy machine to send the request. */
const limitMs = 200;
const connections = [["a new", 0], ["a kept", 1]] as const;

for (const [kind, answers] of connections) {
  Deno.test(`each request to a companion that hangs ends in time on ${kind} connection`, async () => {
    const paths = [...Object.values(companionRequests).map(({ path }) => path), readyPath];
    for (const path of paths) {
      await using server = await startSilentServer(answers);
      const send = agentRequests();
      const url = new URL(server.origin + path);
      const request = { url, method: "POST", headers: {}, body: "{}" };
      for (let i = 0; i < answers; i++) {
        await send({ ...request, signal: new AbortController().signal });
      }
      using time = timeLimit(limitMs);

      await assert.rejects(send({ ...request, signal: time.signal }), /time limit/, path);

      await eventually("the connection is closed", () => server.open() === 0);
      assert.equal(server.asked.length, answers + 1, "it is not repeated");
    }
  });

  Deno.test(`each request to a service that hangs ends in time on ${kind} connection`, async () => {
    const real = createTimers();
    let mostMs = 60_000; // Until the connection is there.
    const timers = { ...real, after: (_: number, end: () => void) => real.after(mostMs, end) };
    const names = Object.keys(serviceRequests) as (keyof typeof serviceRequests)[];
    for (const name of names) {
      mostMs = 60_000;
      await using server = await startSilentServer(answers);
      const stop = new AbortController();
      const link = createServiceLink({
        serviceUrl: server.origin,
        bridgeSecret: "secret",
        timers,
        stopped: stop.signal,
      });
      for (let i = 0; i < answers; i++) await link.gateways({ companionId: "c" }).catch(() => {});
      mostMs = limitMs;
      // Contents are checked by the service.
      const ask = link[name] as (content: never, waiting: unknown) => Promise<unknown>;
      const waiting = { signal: stop.signal, onBegin() {}, onAnswer() {} };

      await assert.rejects(ask({} as never, waiting), /timed out after/, name);

      await eventually("the connection is closed", () => server.open() === 0);
      assert.equal(server.asked.length, answers + 1, "it is not repeated");
      stop.abort();
    }
  });
}
