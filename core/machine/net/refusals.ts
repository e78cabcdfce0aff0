import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { safeHeaders } from "../../base/safe_headers.ts";
import { netLimits } from "./limits.ts";

/** A response of plain text by which a request is refused. */
export interface Plain {
  status: string;
  text: string;
  retryAfterS?: number;
}

/** Refusals of the HTTP listeners. */
export const refusals = {
  noHost: { status: "400 Bad Request", text: "Cannot read the request: it needs one Host header" },
  badHead: { status: "400 Bad Request", text: "Cannot read the request: it is not HTTP/1.1" },
  longHead: {
    status: "431 Request Header Fields Too Large",
    text: "Cannot read the request: its head is too long",
  },
  manyFields: {
    status: "431 Request Header Fields Too Large",
    text: `Cannot read the request: it has more than ${netLimits.headFields} header fields`,
  },
  slow: { status: "408 Request Timeout", text: "Cannot read the request: it came too slowly" },
  tooMany: {
    status: "503 Service Unavailable",
    text: "Too many connections from your address",
    retryAfterS: netLimits.retryAfterS,
  },
} satisfies Record<string, Plain>;

/** Refuses a request, and ends its connection. */
export function refuseRequest(
  response: ServerResponse,
  { status, text, retryAfterS }: Plain,
): void {
  response.writeHead(Number(status.slice(0, 3)), {
    "Content-Type": "text/plain; charset=utf-8",
    "Connection": "close",
    ...safeHeaders,
    ...retryAfterS !== undefined && { "Retry-After": String(retryAfterS) },
  });
  response.end(`${text}\n`);
}

/** Answers by hand on a connection whose request cannot be had, and ends it. */
export function endWith(socket: Socket, { status, text, retryAfterS }: Plain): void {
  if (!socket.writable) return void socket.destroy();
  const retry = retryAfterS === undefined ? "" : `Retry-After: ${retryAfterS}\r\n`;
  const safe = Object.entries(safeHeaders).map((pair) => `${pair.join(": ")}\r\n`).join("");
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${text.length + 1}\r\nConnection: close\r\n${safe}${retry}\r\n${text}\n`,
  );
  socket.destroySoon();
}
