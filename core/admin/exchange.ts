import { type Exchange, isResponseTo } from "./turn.ts";

/** A STUN or TURN server. */
export interface IceServer {
  protocol: "udp" | "tcp" | "tls";
  host: string;
  port: number;
}

/** Runs a task that exchanges messages with a server, for at most so many ms; then closes the connection. */
export async function withServer(
  server: IceServer,
  lookMs: number,
  task: (exchange: Exchange) => Promise<unknown>,
): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("timed out")), lookMs);
  const opening = server.protocol === "udp" ? Promise.resolve(overUdp(server)) : overTcp(server);
  try {
    const { exchange } = await Promise.race([opening, late]);
    await Promise.race([task(exchange), late]);
  } finally {
    clearTimeout(timer);
    opening.then(({ close }) => close(), () => {}); // One that failed has nothing to close.
  }
}

interface Opened {
  exchange: Exchange;
  close(): void;
}

/** A socket of UDP from which datagrams reach a host. */
export const udpTowards = (host: string): Deno.DatagramConn =>
  Deno.listenDatagram({
    transport: "udp",
    hostname: host.includes(":") ? "::" : "0.0.0.0",
    port: 0,
  });

/** A request is sent again after so long, and then after twice as long each time (RFC 8489, 6.2.1). */
const firstRepeatMs = 500;

/** A datagram may be lost, so a request is repeated until its response comes. */
function overUdp({ host, port }: IceServer): Opened {
  const socket = udpTowards(host);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = async (request: Uint8Array<ArrayBuffer>, repeatMs = firstRepeatMs) => {
    timer = setTimeout(() => void send(request, repeatMs * 2).catch(() => {}), repeatMs);
    await socket.send(request, { transport: "udp", hostname: host, port });
  };
  return {
    async exchange(request) {
      await send(request);
      for await (const [response] of socket) {
        if (!isResponseTo(request, response)) continue;
        clearTimeout(timer);
        return response;
      }
      throw new Error("it was closed");
    },
    close() {
      clearTimeout(timer);
      socket.close();
    },
  };
}

async function overTcp({ protocol, host: hostname, port }: IceServer): Promise<Opened> {
  const connection = await (protocol === "tls" ? Deno.connectTls : Deno.connect)({
    hostname,
    port,
  });
  const read = async (length: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const got = await connection.read(bytes.subarray(at));
      if (got === null) throw new Error("it closed the connection");
      at += got;
    }
    return bytes;
  };
  return {
    async exchange(request) {
      const writer = connection.writable.getWriter();
      await writer.write(request);
      writer.releaseLock();
      const header = await read(20);
      const body = await read(new DataView(header.buffer).getUint16(2));
      return Uint8Array.from([...header, ...body]);
    },
    close: () => connection.close(),
  };
}
