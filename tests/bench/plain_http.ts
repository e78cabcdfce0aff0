import { Buffer } from "node:buffer";

/**
 * HTTP/1.1 as a load generator needs it, like that of `wrk`: persistent connections and bytes that
 * are made once. Of a message only its first line, its length and its body are read. All else is an
 * error. Bodies are ASCII, as forms are.
 */

const bufferBytes = 64 << 10;

interface Message {
  /** The first line. */
  start: string;
  body: string;
}

/** Hands over whole messages until the connection ends. */
async function readMessages(connection: Deno.Conn, take: (message: Message) => void) {
  const buffer = Buffer.alloc(bufferBytes);
  let end = 0;
  for (;;) {
    const size = await connection.read(buffer.subarray(end)).catch(() => null);
    if (size === null) return;
    end += size;
    const text = buffer.toString("latin1", 0, end);
    let at = 0;
    for (;;) {
      const headEnd = text.indexOf("\r\n\r\n", at);
      if (headEnd < 0) break;
      const head = text.slice(at, headEnd);
      const bodyEnd = headEnd + 4 + lengthOf(head);
      if (bodyEnd > end) break;
      const start = head.slice(0, head.indexOf("\r\n"));
      at = bodyEnd;
      take({ start, body: text.slice(headEnd + 4, bodyEnd) });
    }
    buffer.copyWithin(0, at, end);
    end -= at;
    if (end === bufferBytes) throw new Error("An HTTP message is too long");
  }
}

function lengthOf(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (/^(?:GET|HTTP\/1\.1 204) /.test(head)) return 0;
  throw new Error(`An HTTP message has no Content-Length: ${head}`);
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** The bytes of a response, to be made once. */
export function httpResponse(status: string, type = "text/plain", body = ""): Uint8Array {
  const lines = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

export interface PlainServer extends Disposable {
  url: string;
}

/** A server of the loopback; `answer` gets the path and the body, and gives a response's bytes. */
export function servePlainly(answer: (path: string, body: string) => Uint8Array): PlainServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  async function serve(connection: Deno.TcpConn) {
    connection.setNoDelay(true);
    connections.add(connection);
    const serving = readMessages(connection, ({ start, body }) => {
      const [, path = ""] = start.split(" ");
      write(connection, answer(path, body)).catch(() => {}); // The client has gone.
    });
    await serving.finally(() => connections.delete(connection));
  }
  void (async () => {
    for await (const connection of listener) void serve(connection);
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    [Symbol.dispose]() {
      listener.close();
      for (const connection of connections) connection.close();
    },
  };
}

export interface PlainClient extends Disposable {
  /** The bytes of a POST of a form, to be sent as often as wanted. */
  form(path: string, fields: Record<string, string>): Uint8Array;
  /** Sends a request over a connection that is free; the body of the response. Throws when not 2xx. */
  send(request: Uint8Array): Promise<string>;
}

interface Connection {
  connection: Deno.Conn;
  /** Of the request that is under way, or of the last one. */
  answered: PromiseWithResolvers<string>;
}

/** A client of one server, with credentials for all requests. */
export function openPlainClient(url: string, authorization: string): PlainClient {
  const { host, hostname, port } = new URL(url);
  const all = new Set<Connection>();
  const free: Connection[] = [];
  async function connect(): Promise<Connection> {
    const connection = await Deno.connect({ hostname, port: Number(port) });
    connection.setNoDelay(true);
    const own: Connection = { connection, answered: Promise.withResolvers() };
    all.add(own);
    void readMessages(connection, ({ start, body }) => {
      if (start.startsWith("HTTP/1.1 2")) own.answered.resolve(body);
      else own.answered.reject(new Error(`${url} answered ${start}: ${body}`));
    }).catch((error) => own.answered.reject(error)).then(() => {
      all.delete(own);
      own.answered.reject(new Error(`${url} closed the connection`));
    });
    return own;
  }
  return {
    form(path, fields) {
      const body = new URLSearchParams(fields).toString();
      const lines = [
        `POST ${path} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: ${authorization}`,
        "Content-Type: application/x-www-form-urlencoded",
        `Content-Length: ${body.length}`,
      ];
      return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
    },
    async send(request) {
      let own = free.pop();
      while (own !== undefined && !all.has(own)) own = free.pop(); // Closed while it was idle.
      own ??= await connect();
      own.answered = Promise.withResolvers();
      await write(own.connection, request);
      const body = await own.answered.promise;
      free.push(own);
      return body;
    },
    [Symbol.dispose]() {
      for (const { connection } of all) connection.close();
    },
  };
}
