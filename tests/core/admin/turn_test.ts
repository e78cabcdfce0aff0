import assert from "node:assert/strict";
import { machine } from "../../../core/admin/machine.ts";
import { endChild } from "../../support/process/end_child.ts";
import { eventually } from "../../support/process/eventually.ts";
import { needs } from "../../support/process/programs.ts";
import { freePorts } from "../../support/process/system.ts";

/** coturn with one user, on a port of its own. */
async function startTurn() {
  const [port] = freePorts(1) as [number];
  const child = new Deno.Command("turnserver", {
    args: [
      ...["-n", "-L", "127.0.0.1", "-E", "127.0.0.1", "-p", String(port), "--no-tls", "--no-dtls"],
      ...["--lt-cred-mech", "--user=alice:secret of turn", "--realm=turn.test", "--no-cli"],
      ...["--allow-loopback-peers", "--log-file", "stdout", "--pidfile", "/dev/null"],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await eventually("coturn listens", async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
    connection?.close();
    return connection !== undefined;
  });
  return { port, [Symbol.asyncDispose]: () => endChild(child, "SIGKILL") };
}

Deno.test({
  ...needs("turnserver"),
  name: "doctor's TURN allocates at coturn by UDP and TCP, and names wrong credentials",
  async fn() {
    await using server = await startTurn();
    const right = { username: "alice", credential: "secret of turn" };
    for (const protocol of ["udp", "tcp"] as const) {
      const at = { protocol, host: "127.0.0.1", port: server.port };
      await machine.stun(at);
      await machine.turn(at, right);
      await machine.turn(at, right); // The allocation before was given back.
      await assert.rejects(
        machine.turn(at, { ...right, credential: "a guess" }),
        /it refuses the credentials/,
      );
    }
  },
});

Deno.test("doctor's STUN asks again by UDP where a datagram was lost", async () => {
  const server = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const { port } = server.addr as Deno.NetAddr;
  const looking = machine.stun({ protocol: "udp", host: "127.0.0.1", port });

  const [lost] = await server.receive();
  const [request, from] = await server.receive();
  assert.deepEqual(request, lost);
  const response = request.slice();
  response[0] = 0x01; // A success response to the same transaction.
  await server.send(response, from);

  await looking;
  server.close();
});
