/**
 * The HTTP server: `node:http` by `@hono/node-server`. `Deno.serve` has no bound of connections and no
 * time-out, and ends for good at EMFILE. A request costs about 30 us more; handlers stay those of `fetch`.
 *
 * Node's listener also stops at EMFILE, without an event, so `acceptor.ts` connects to an idle listener and
 * opens it again. Time-outs are in `slow_requests.ts`: Deno obeys those of Node only where the HTTP server
 * itself listens, and Node has no least rate of a body.
 */
import { awakeNow } from "../../base/steady_clock.ts";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { ListenAddress } from "../../base/listen_error.ts";
import { acceptConnections, type AcceptOptions } from "./acceptor.ts";
import { createAdmission, type JudgedRequest } from "./admit_request.ts";
import type { CertificateWatch } from "./certificate.ts";
import { netLimits } from "./limits.ts";
import { createAddressPlaces } from "./places.ts";
import { endWith, refusals, refuseRequest } from "./refusals.ts";
import { secureConnections } from "./secure.ts";
import { type HttpConnection, judgePace, markProgress, openConnection } from "./slow_requests.ts";

export interface HttpOptions extends Pick<AcceptOptions, "places" | "onOver" | "log"> {
  address: ListenAddress;
  /** Connections of one address, and requests under way of one behind a trusted proxy; 0: no bound. */
  perAddress?: number;
  isTrustedProxy?: (host: string) => boolean;
  /** With one, HTTPS. */
  certificate?: CertificateWatch | undefined;
}

export interface HttpServer {
  readonly address: { readonly host: string; readonly port: number };
  /** Accepts no more connections, and resolves when the requests under way are answered. */
  shutdown(): Promise<void>;
}

/** Data of a request beside its head and body. */
export interface Arrival {
  /** The address of the client, which a trusted proxy may have named. */
  client: string;
}

/** Handler of a request, in the form of `fetch`, as it is for `Deno.serve`. */
export type Answer = (request: Request, arrival: Arrival) => Response | Promise<Response>;

/**
 * Serves HTTP/1.1 within bounds: of connections in all and for each address, of the time that a
 * client may take. Rejects when the address cannot be had.
 */
export async function serveHttp(options: HttpOptions, answer: Answer): Promise<HttpServer> {
  const { address, certificate, perAddress = 0, isTrustedProxy = trustsNone } = options;
  const takeAddress = createAddressPlaces(perAddress);
  const connections = new Map<Socket, HttpConnection>();
  let isStopping = false;
  const respond = responder(answer, address.hostname);
  const admit = createAdmission({ isTrustedProxy, takeAddress, log: options.log });
  const onRequest = (request: JudgedRequest, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (connection === undefined) return void request.socket.destroy();
    const admitted = admit(request);
    connection.underWay++;
    connection.request = request;
    markProgress(connection);
    response.on("close", () => {
      if ("leave" in admitted) admitted.leave();
      connection.underWay--;
      markProgress(connection);
      if (isStopping && connection.underWay === 0) connection.socket.destroySoon();
    });
    if (isStopping) response.setHeader("Connection", "close");
    if ("refusal" in admitted) return refuseRequest(response, admitted.refusal);
    request.client = admitted.client;
    void respond(request, response);
  };

  const pass = serveSockets(certificate, {
    onRequest,
    onConnection(socket) {
      connections.set(socket, openConnection(socket));
      socket.on("error", () => {});
      socket.on("close", () => connections.delete(socket));
    },
    isListening: () => !isStopping,
  });
  const acceptor = await acceptConnections(address, {
    ...options,
    allowHalfOpen: true,
    takeAddress: (host) => isTrustedProxy(host) ? () => {} : takeAddress(host),
    refuse: (socket) => refuseSocket(socket, certificate !== undefined),
    onConnection: pass,
  });
  const looking = setInterval(() => endSlow(connections.values()), netLimits.slowLookMs);
  return {
    address: acceptor.address,
    async shutdown() {
      isStopping = true;
      await acceptor.close();
      for (const { socket, underWay } of connections.values()) if (underWay === 0) socket.destroy();
      while (connections.size > 0) await new Promise((wake) => setTimeout(wake, 20));
      clearInterval(looking);
    },
  };
}

const trustsNone = () => false;

/**
 * Answers requests as a handler of `fetch` does; `hostname` is that of HTTP/1.0 requests without
 * Host.
 */
const responder = (answer: Answer, hostname: string) =>
  getRequestListener(
    (request, { incoming, outgoing }) => {
      const come = incoming as JudgedRequest;
      const arrival = { client: come.client ?? "" };
      return send(answer(request, arrival), come, outgoing as ServerResponse);
    },
    { overrideGlobalObjects: false, hostname },
  );

/** Ends a connection beyond the bound of its address; before a TLS handshake, without a response. */
function refuseSocket(socket: Socket, isSecure: boolean): void {
  if (isSecure) socket.destroy();
  else endWith(socket, refusals.tooMany);
}

/** Reads HTTP from the sockets that it is passed, by TLS with a certificate. */
function serveSockets(
  certificate: CertificateWatch | undefined,
  { onRequest, onConnection, isListening }: {
    onRequest(request: IncomingMessage, response: ServerResponse): void;
    /** A connection can bring requests: one with TLS, after its handshake. */
    onConnection(socket: Socket): void;
    isListening(): boolean;
  },
): (socket: Socket) => void {
  const server = createHttp(certificate);
  // The acceptor listens in its place: else Deno closes each connection after its first response.
  Object.defineProperty(server, "listening", { get: isListening });
  server.on("request", onRequest);
  server.on("clientError", (error: Error & { code?: string }, socket: Socket) => {
    const isLong = error.code === "HPE_HEADER_OVERFLOW";
    endWith(socket, isLong ? refusals.longHead : refusals.badHead);
  });
  server.on(certificate === undefined ? "connection" : "secureConnection", onConnection);
  if (certificate === undefined) return (socket) => void server.emit("connection", socket);
  return secureConnections(server as never, { mostMs: netLimits.tlsHandshakeMs, after });
}

function createHttp(certificate: CertificateWatch | undefined): Server {
  const bounds = {
    maxHeaderSize: netLimits.headBytes,
    // Answered by hand, with a reason.
    requireHostHeader: false,
    // Time limits are those of `judgePace`: in Deno a timer for each request costs more than a look at all.
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
  };
  if (certificate === undefined) return createServer(bounds);
  const server = createSecureServer({ ...bounds, ...certificate.certificate });
  certificate.onRenewed((renewed) => server.setSecureContext(renewed));
  return server;
}

/**
 * Sends a response of text as a whole, others as the adapter does: that reads every body as a stream,
 * and in Deno making a stream of a text costs more than the request. A request whose body has not come
 * by then, since it was refused by its head, is the last of its connection: Node would read the rest
 * to drop it, at the pace of the client.
 */
async function send(
  answered: Response | Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Response> {
  const response = await answered;
  if (!incoming.complete) outgoing.setHeader("Connection", "close");
  const type = response.headers.get("Content-Type") ?? "";
  const isDocument = /^application\/(?:json|xml)/.test(type);
  const isStream = type.startsWith("text/event-stream");
  if (isStream || !isDocument && !type.startsWith("text/")) return response;
  // Node writes a string in one piece with the head, and bytes in a piece of their own.
  const isPlain = isDocument && !response.headers.has("Content-Encoding");
  const body = isPlain ? await response.text() : new Uint8Array(await response.arrayBuffer());
  const headers: string[] = [];
  if (!incoming.complete) headers.push("Connection", "close");
  for (const [name, value] of response.headers) headers.push(name, value);
  if (!response.headers.has("Content-Length")) {
    headers.push("Content-Length", String(Buffer.byteLength(body)));
  }
  outgoing.writeHead(response.status, headers);
  outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}

/** Ends the connections of clients that take too long. */
function endSlow(connections: Iterable<HttpConnection>): void {
  const now = awakeNow();
  for (const connection of connections) {
    const { socket, underWay } = connection;
    const pace = judgePace(connection, now);
    if (pace === "fine") continue;
    // A request that is not over by the next check is cut off.
    if (pace === "idle" || socket.writableEnded) socket.destroy();
    else if (underWay === 0 || connection.request?.complete === false) {
      endWith(socket, refusals.slow);
    }
  }
}

function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
