import assert from "node:assert/strict";
import type { Address } from "../../sip/media/latch.ts";
import { bindDatagrams } from "../../sip/media/rtp_sockets.ts";
import { ownSockets } from "../../sip/media/webrtc/sockets.ts";
import { natTest } from "../support/nat_lab.ts";
import { hosts, onHost } from "../support/nat_network.ts";
import { run } from "../support/run.ts";
import { eventually } from "../support/system.ts";

natTest(
  import.meta.url,
  "a socket of a loopback address drops what another machine sends to it",
  async ({ network }) => {
    const socket = await ownSockets("127.0.0.1").open("peer");
    const control = await bindDatagrams(hosts.net, 0);
    const { port, machineAddress } = socket;
    assert.equal(machineAddress?.address, hosts.net);
    const heard: string[] = [];
    const heardBeside: string[] = [];
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
    socket.onMessage = (bytes, from) => void heard.push(`${text(bytes)} ${from.address}`);
    control.onMessage = (bytes, from) => void heardBeside.push(`${text(bytes)} ${from.address}`);

    const to = (place: Address) => `echo stranger > /dev/udp/${place.address}/${place.port}`;
    const places = [
      machineAddress!,
      { address: hosts.net, port },
      { address: hosts.net, port: control.port },
    ];
    const [ip, ...before] = onHost(network, "cloud");
    await run(ip, [...before, "bash", "-c", places.map(to).join("; ")]);
    await eventually("the stranger is heard elsewhere", () => heardBeside.length > 0);
    control.send(new TextEncoder().encode("neighbour"), machineAddress!);
    await eventually("the neighbour is heard", () => heard.length > 0);
    // Nothing is sent to another machine either; this machine is answered.
    socket.send(new TextEncoder().encode("lost"), { address: hosts.cloud, port: 9 });
    socket.send(new TextEncoder().encode("answer"), { address: hosts.net, port: control.port });
    await eventually("the neighbour is answered", () => heardBeside.length > 1);

    assert.deepEqual(heard, [`neighbour ${hosts.net}`]);
    assert.deepEqual(heardBeside, [`stranger ${hosts.cloud}`, `answer ${hosts.net}`]);
    await Promise.all([socket.close(), control.close()]);
  },
);

natTest(
  import.meta.url,
  "a peer is answered from the address that it reached, at either socket",
  async () => {
    const socket = await ownSockets("127.0.0.1").open("peer");
    socket.onMessage = (bytes, from) => socket.send(bytes, from);
    const loopback: Address = { address: "127.0.0.1", port: socket.port };
    const hello = new TextEncoder().encode("hello");

    const neighbour = await bindDatagrams(hosts.net, 0);
    for (const place of [loopback, socket.machineAddress!, loopback]) {
      const answer = Promise.withResolvers<Address>();
      neighbour.onMessage = (_, from) => answer.resolve(from);
      neighbour.send(hello, place);
      assert.deepEqual(await answer.promise, place);
    }
    await Promise.all([socket.close(), neighbour.close()]);
  },
);
