import assert from "node:assert/strict";
import { certificateFiles } from "../../support/process/test_certificates.ts";
import { eventually } from "../../support/process/eventually.ts";
import { shutListener } from "../../support/process/shut_listener.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { netLimits } from "../../../core/machine/net/limits.ts";

sipTest(
  "each port of the companion that is lost is told as over, by the variable that sets it",
  async () => {
    await using files = await certificateFiles();
    const over: string[] = [];
    await using lab = await startSipLab({
      transports: { ports: { TCP: 0, TLS: 0, WSS: 0 }, certificate: files.certificate },
      onListenerOver: ({ message }) =>
        over.push(/\((\w+)\): the port is in use/.exec(message)![1]!),
    });
    const { sipAddresses, bridgeUrl } = lab.companion;
    const ports = [...sipAddresses.values()].map(({ port }) => port);
    ports.push(Number(new URL(bridgeUrl).port));

    const taken = ports.map((port) => {
      shutListener(Deno.pid, port);
      return Deno.listen({ hostname: "127.0.0.1", port });
    });
    const closing = taken.map(closeAll);
    const waitMs = netLimits.reopenMs + 30_000;
    await eventually("all listeners are over", () => over.length === ports.length, waitMs);
    for (const listener of taken) listener.close();
    await Promise.all(closing);

    const names = ["BRIDGE_PORT", "SIP_TCP_PORT", "SIP_TLS_PORT", "SIP_WSS_PORT", "SIP_WS_PORT"];
    assert.deepEqual(over.toSorted(), names);
  },
  120_000,
);

/** Closes each connection that comes, until the listener is closed. */
async function closeAll(listener: Deno.Listener): Promise<void> {
  for await (const connection of listener) connection.close();
}
