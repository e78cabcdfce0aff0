import assert from "node:assert/strict";
import { flood, floodFrames } from "../support/media/flood.ts";
import { streamServer } from "../support/media/stream_server.ts";
import { startBystander } from "../support/process/bystander.ts";
import { startSystem } from "../support/process/system.ts";
import { newTenant } from "../support/process/tenant.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";

/** Calls of tenants while the server of another tenant's stream or conversation floods it. */

const nouns = {
  Stream: ["marks", "clears", "empty media", "pings"],
  ConversationRelay: ["tokens", "invalid messages", "pings"],
} as const;

Deno.test({
  name: "a server that floods a stream or conversation costs its own call alone",
  ignore: Deno.build.os !== "linux",
  timeout: 240_000,
  async fn() {
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    await using bystander = await startBystander(system);
    await using app = startAppServer();
    await using server = await streamServer();
    await using stack = new AsyncDisposableStack();
    const attacker = await newTenant(system, "attacker");
    const phones = new Map<string, Awaited<ReturnType<typeof attacker.phone>>>();
    for (const noun of Object.keys(nouns)) {
      app.pages.set(
        `/${noun}`,
        `<Response><Connect><${noun} url="${server.url}"/></Connect></Response>`,
      );
      phones.set(noun, await attacker.phone(noun.toLowerCase(), `${app.url}/${noun}`));
    }

    const floods: (() => void)[] = [];
    await bystander.goesOnWhile(async () => {
      for (const [noun, kinds] of Object.entries(nouns)) {
        for (const kind of kinds) {
          const socket = await plainSocket();
          stack.defer(() => socket.close());
          const phone = phones.get(noun)!; // Each noun has one.
          await phone.call("agent", { sdp: plainOffer(socket.port) }).answered;
          floods.push(flood(await server.next(), floodFrames[kind]));
        }
      }
    }, { afterS: 12 });
    floods.forEach((stop) => stop());

    const { notifications } = await attacker.get("Notifications.json?PageSize=100");
    const codes = notifications.map(({ error_code }: { error_code: number }) => error_code);
    assert.ok(codes.includes(31952), `the tenant is told: ${codes}`);
  },
});
