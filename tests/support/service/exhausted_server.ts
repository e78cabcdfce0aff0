import { serveHttp } from "../../../core/machine/net/http_server.ts";

/** Serves HTTP and, as ordered on standard input, takes all descriptors or gives them back. */
const address = { hostname: "127.0.0.1", port: 0, name: "PORT" };
const server = await serveHttp({ address }, () => new Response("hello"));
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line));
say(String(server.address.port));
const taken: Deno.DatagramConn[] = [];
for await (const order of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  if (order === "exhaust") {
    try {
      for (;;) {
        taken.push(Deno.listenDatagram({ hostname: "127.0.0.1", port: 0, transport: "udp" }));
      }
    } catch {
      say("exhausted");
    }
  } else {
    for (const socket of taken.splice(0)) socket.close();
    say("free");
  }
}
