import assert from "node:assert/strict";
import type { Address } from "../../sip/media/rtp/latch.ts";
import { ofKind, parseSdp } from "../../sip/media/sdp/parse_sdp.ts";
import { bindDatagrams } from "../../sip/media/rtp/rtp_sockets.ts";
import { ownSockets } from "../../sip/media/webrtc/sockets.ts";
import { stunKey, writeStun } from "../../sip/media/webrtc/stun.ts";
import { natTest } from "../support/process/nat_lab.ts";
import { type Host, hosts, onHost } from "../support/process/nat_network.ts";
import { run } from "../support/process/run.ts";
import { BROWSER_OFFER } from "../support/media/sdp_samples.ts";
import { eventually } from "../support/process/eventually.ts";

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

natTest(
  import.meta.url,
  "a companion on the loopback answers ICE checks at its network address to this machine alone",
  async (lab) => {
    const system = await lab.start("net", "127.0.0.1", {});
    const VoiceUrl = `${lab.app.url}/echo`;
    await system.post("Clients.json", { Login: "alice", Password: "alice-secret", VoiceUrl });
    const alice = await system.phone("alice");
    const call = alice.call("sip:application@localhost", { sdp: BROWSER_OFFER });
    const { ufrag, password, candidates } =
      ofKind("webrtc", parseSdp((await call.answered).remoteSdp)).audio;
    const places = candidates.map((each) => each.split(" ").slice(4, 6));
    const [, port] = places.find(([address]) => address === hosts.net)!;
    const check = writeStun({
      type: "request",
      transaction: "00112233445566778899aabb",
      username: `${ufrag}:Xy9k`,
      priority: 1_862_270_975,
      role: { controlling: true, tieBreaker: 1n },
    }, stunKey(password)).toHex().replace(/../g, "\\x$&");
    // The shell writes a line at a time: a check that holds the byte of a line's end would leave as two
    // datagrams without `dd`.
    const script = `exec 3<>/dev/udp/${hosts.net}/${port}; ` +
      `printf '${check}' | dd bs=1500 iflag=fullblock status=none >&3; ` +
      "timeout 5 head -c 1 <&3 | wc -c";
    const bytesOfAnswer = async (host: Host) => {
      const [ip, ...before] = onHost(lab.network, host);
      return Number(await run(ip, [...before, "bash", "-c", script]));
    };

    assert.equal(await bytesOfAnswer("net"), 1);
    assert.equal(await bytesOfAnswer("cloud"), 0);
    assert.equal(await bytesOfAnswer("net"), 1);
  },
);
