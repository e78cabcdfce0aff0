import type { Socket } from "node:net";
import { sipLimits } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";
import { hangUp } from "../base/deadline.ts";
import { type HttpHead, listsToken, readHttpHead } from "./http_head.ts";
import { upgrade, type WebSocket } from "./ws_library.ts";

/** An HTTP answer that ends its connection. */
export interface Refusal {
  status: string;
  text: string;
  headers?: string[];
}

const upgradeFirst: Refusal = {
  status: "426 Upgrade Required",
  text: "This is a SIP server: connect by WebSocket with subprotocol sip.",
  headers: ["Upgrade: websocket"],
};
const otherVersion: Refusal = {
  status: "426 Upgrade Required",
  text: "The WebSocket version must be 13.",
  headers: ["Upgrade: websocket", "Sec-WebSocket-Version: 13"],
};
export const badRequest = (text: string): Refusal => ({ status: "400 Bad Request", text });
const unreadable: Record<400 | 408 | 431, Refusal> = {
  400: badRequest("The head of the request is not HTTP."),
  408: { status: "408 Request Timeout", text: "The head of the request took too long." },
  431: {
    status: "431 Request Header Fields Too Large",
    text: "The head of the request is too long.",
  },
};

export const tooMany: Refusal = {
  status: "503 Service Unavailable",
  text: "Too many connections from your address.",
  headers: [`Retry-After: ${sipLimits.retryAfterS}`],
};

/** Answers one connection more than an address may have, and lets go. */
export const refuseConnection = (socket: Socket, clock: Clock): void =>
  refuse(socket, clock, tooMany);

export interface HandshakeEvents {
  /** Reason for the refusal of a request for a WebSocket. */
  admit(head: HttpHead): Refusal | undefined;
  /** The stream is paused. */
  onOpen(webSocket: WebSocket, host: string): void;
}

/**
 * The opening handshake of a server (RFC 6455 §4.2), with the subprotocol of SIP (RFC 7118 §4).
 * Calls back when the WebSocket is open, with the Host of the request. Any other request gets an
 * HTTP answer.
 */
export function acceptHandshake(
  socket: Socket,
  clock: Clock,
  { admit, onOpen }: HandshakeEvents,
): void {
  readHttpHead(socket, clock, {
    onFailure: (status) => refuse(socket, clock, unreadable[status]),
    onHead(head, rest) {
      const refusal = checkRequest(head) ?? admit(head);
      if (refusal !== undefined) return refuse(socket, clock, refusal);
      const key = head.fields.get("sec-websocket-key") ?? "";
      onOpen(upgrade(key, socket, rest), head.fields.get("host") ?? "");
    },
  });
}

function checkRequest(head: HttpHead): Refusal | undefined {
  const { startLine, fields } = head;
  if (!/^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(startLine)) return unreadable[400];
  if (!listsToken(head, "upgrade", "websocket")) return upgradeFirst;
  if (!/^GET .*1$/.test(startLine)) return badRequest("A WebSocket begins with GET and HTTP/1.1.");
  if (!fields.has("host")) return badRequest("There is no Host.");
  if (!listsToken(head, "connection", "upgrade")) {
    return badRequest("Connection does not say Upgrade.");
  }
  if (fields.get("sec-websocket-version") !== "13") return otherVersion;
  const isKey = /^[A-Za-z0-9+/]{22}==$/.test(fields.get("sec-websocket-key") ?? "");
  if (!isKey) return badRequest("Sec-WebSocket-Key must be 16 bytes in Base64.");
  if (listsToken(head, "sec-websocket-protocol", "sip")) return undefined;
  return badRequest("The WebSocket subprotocol must be sip.");
}

function refuse(socket: Socket, clock: Clock, { status, text, headers = [] }: Refusal): void {
  const upgrades = headers.some((header) => header.startsWith("Upgrade"));
  const head = lines([
    `HTTP/1.1 ${status}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${text.length + 1}`,
    "X-Content-Type-Options: nosniff",
    "Content-Security-Policy: frame-ancestors 'none'",
    `Connection: ${upgrades ? "Upgrade, close" : "close"}`,
    ...headers,
  ]);
  hangUp(socket, clock, `${head}${text}\n`);
}

const lines = (head: string[]): string => [...head, "", ""].join("\r\n");
