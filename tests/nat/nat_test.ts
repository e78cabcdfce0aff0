import assert from "node:assert/strict";
import { grantIceServers, type IceServer } from "../../core/base/ice_servers.ts";
import { type NatLab, natTest, PRIVATE_NAME } from "../support/process/nat_lab.ts";
import { blockUdp, hosts } from "../support/process/nat_network.ts";
import { eventually } from "../support/process/eventually.ts";

/** Calls through NATs; each is of audio that a peer sends and hears again, so it went both ways. */

const file = import.meta.url;
/** Settings of a machine behind the NAT of a cloud. */
const behindCloud = { HOST: "0.0.0.0", PUBLIC_IP: hosts.cloud };

interface AudioWay {
  local: "host" | "srflx" | "prflx" | "relay";
  relayProtocol?: "udp" | "tcp" | "tls";
  remoteAddress: string;
}

natTest(file, "a browser reaches a companion behind a 1:1 NAT by PUBLIC_IP alone", async (lab) => {
  const system = await lab.start("server", hosts.cloud, behindCloud);
  const page = await lab.enter("net", system, "alice");

  await lab.hearsItself(page);

  assert.equal((await page.run<AudioWay>("audioWay")).remoteAddress, hosts.cloud);
  await page.close();
});

natTest(
  file,
  "a plain phone reaches a companion behind a 1:1 NAT by PUBLIC_IP alone",
  async (lab) => {
    const system = await lab.start("server", hosts.cloud, behindCloud);

    await lab.phoneHearsItself("net", system, hosts.cloud);
  },
);

natTest(
  file,
  "one port of media is enough behind a 1:1 NAT, for a browser behind another NAT",
  async (lab) => {
    const system = await lab.start("server", hosts.cloud, { ...behindCloud, MEDIA_PORT: "30000" });
    const page = await lab.enter("user", system, "alice");

    await lab.hearsItself(page);

    await page.close();
  },
);

natTest(
  file,
  "a plain phone on the private network of a 1:1 NAT does without its public address",
  async (lab) => {
    const system = await lab.start("server", hosts.cloud, behindCloud);

    await lab.phoneHearsItself("near", system, hosts.server);
  },
);

natTest(file, "audio of a browser on the private network of a 1:1 NAT stays there", async (lab) => {
  const env = { ...behindCloud, SIP_PUBLIC_HOST: PRIVATE_NAME };
  const system = await lab.start("server", hosts.cloud, env);
  const { port } = new URL(system.baseUrl);
  const page = await lab.enter("near", system, "alice", `http://${hosts.server}:${port}`);

  await lab.hearsItself(page);

  assert.equal((await page.run<AudioWay>("audioWay")).remoteAddress, hosts.server);
  await page.close();
});

natTest(file, "a browser behind a port-restricted NAT is heard, and hears", async (lab) => {
  const system = await lab.start("net", hosts.net, { HOST: "0.0.0.0" });
  const page = await lab.enter("user", system, "alice");

  await lab.hearsItself(page);

  await page.close();
});

natTest(file, "a plain phone behind a port-restricted NAT is heard, and hears", async (lab) => {
  const system = await lab.start("net", hosts.net, { HOST: "0.0.0.0" });

  await lab.phoneHearsItself("user", system, hosts.net);
});

const turnSecret = "north of the river";
const turn = `turn:${hosts.net}:3478`;
const iceServers = `stun:${hosts.net}:3478,${turn},${turn}?transport=tcp`;

/** coturn on the internet, which has the secret alone and no user. */
async function startTurn(lab: NatLab): Promise<void> {
  lab.run("net", "turnserver", [
    "-n",
    `--listening-ip=${hosts.net}`,
    `--relay-ip=${hosts.net}`,
    "--realm=turn.test",
    "--use-auth-secret",
    `--static-auth-secret=${turnSecret}`,
    "--no-cli",
    "--no-tls",
    "--no-dtls",
    "--pidfile=/dev/null",
    "--log-file=stdout",
  ]);
  await eventually("coturn listens", async () => {
    const connection = await Deno.connect({ hostname: hosts.net, port: 3478 }).catch(() => null);
    connection?.close();
    return connection !== null;
  });
}

natTest(file, "a browser whose network blocks UDP talks by TURN over TCP", async (lab) => {
  await startTurn(lab);
  await blockUdp(lab.network);
  const env = { ...behindCloud, ICE_SERVERS: iceServers, TURN_SECRET: turnSecret };
  const system = await lab.start("server", hosts.cloud, env);
  const page = await lab.enter("user", system, "alice");

  await lab.hearsItself(page);

  const { local, relayProtocol } = await page.run<AudioWay>("audioWay");
  assert.deepEqual({ local, relayProtocol }, { local: "relay", relayProtocol: "tcp" });
  await page.close();
});

interface TurnPage {
  turnAnswer(server: IceServer): Promise<number>;
}

natTest(file, "coturn takes the credentials of POST Tokens until they expire", async (lab) => {
  await startTurn(lab);
  const env = { HOST: "0.0.0.0", ICE_SERVERS: iceServers, TURN_SECRET: turnSecret };
  const system = await lab.start("net", hosts.net, env);
  const { ice_servers: granted } = await system.post("Tokens.json", { Ttl: "60" });
  const settings = { urls: iceServers.split(","), turnSecret };
  const expired = grantIceServers(settings, "alice", Date.now() - 5_000).iceServers;
  const page = await lab.enter("user", system, "alice");
  const answer = (server: IceServer) =>
    page.page.evaluate(
      (server) => (globalThis as unknown as TurnPage).turnAnswer(server),
      server,
    );

  assert.equal(await answer(granted.at(-1)), 200);
  assert.equal(await answer(expired.at(-1)!), 401);
  const shown = await fetch(`${system.baseUrl}/softphone/settings.json`);
  assert.doesNotMatch(await shown.text(), /turn:/);
  await page.close();
});
