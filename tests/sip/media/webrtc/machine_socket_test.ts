import assert from "node:assert/strict";
import type { Datagrams } from "../../../../sip/media/rtp/rtp_sockets.ts";
import { candidatesOf } from "../../../../sip/media/webrtc/host_candidates.ts";
import { ownSockets } from "../../../../sip/media/webrtc/sockets.ts";

const socketAt = (port: number): Datagrams => ({
  port,
  onMessage: () => {},
  send: () => {},
  close: () => Promise.resolve(),
});

Deno.test("a loopback address has a further host candidate where the machine has an interface", () => {
  const machineAddress = { address: "192.0.2.7", port: 5002 };
  const all = candidatesOf({ bindAddress: "127.0.0.1", port: 5000, machineAddress });

  assert.deepEqual(
    all.map((candidate) => candidate.split(" ").slice(4).join(" ")),
    ["127.0.0.1 5000 typ host", "192.0.2.7 5002 typ host"],
  );
});

Deno.test("a machine whose interfaces cannot be bound has its loopback socket alone", async () => {
  const bound: string[] = [];
  const socket = await ownSockets("127.0.0.1", {
    bind(address) {
      bound.push(address);
      if (address === "127.0.0.1") return Promise.resolve(socketAt(5000));
      return Promise.reject(new Error("Cannot assign"));
    },
  }).open("peer");

  assert.equal(bound[0], "127.0.0.1");
  assert.equal(socket.port, 5000);
  assert.equal(socket.machineAddress, undefined);
});
