import {
  invalidation,
  muteRequest,
  protocolLimits,
  protocolPaths,
  runRequest,
} from "../core/protocol/companion.ts";
import {
  type MessageOrder,
  messageOrder,
  messagePaths,
  type OutwardOrder,
  outwardOrder,
} from "../core/protocol/messages.ts";
import {
  bindingsRequest,
  type RegisteredBinding,
  registrationPaths,
} from "../core/protocol/registrations.ts";
import { readSealed } from "../core/protocol/seal.ts";
import { requestReader } from "../core/protocol/request.ts";
import { roomOrder, roomPaths } from "../core/protocol/rooms.ts";
import { trunkPaths } from "../core/protocol/trunks.ts";
import { serveHttp } from "../core/net/http_server.ts";
import { netLimits } from "../core/net/limits.ts";
import { createPlaces } from "../core/net/places.ts";
import { forPrograms } from "../core/base/safe_headers.ts";
import type { Companion } from "../core/protocol/companion.ts";
import type { Calls } from "./contracts/calls.ts";
import { runScript } from "./script/create_calls.ts";
import { hostPort } from "./transport/local_name.ts";

export interface ControlOptions {
  hostname: string;
  port: number;
  bridgeSecret: string;
  companion: Companion;
  calls: Calls;
  /** Forgets what is known of these logins, and what they may no longer do. */
  invalidate(logins: string[]): Promise<void>;
  /** The devices that a login is registered with here. */
  bindings(login: string): RegisteredBinding[];
  /** Which Gateways to keep registered may have changed. */
  gatewaysChanged(): void;
  /** Sends a message to the devices of a login; the final status of each. */
  message(order: MessageOrder): Promise<number[]>;
  /** Sends a message to a number elsewhere; its final status, null when nobody has it. */
  outward(order: OutwardOrder): Promise<number | null>;
  /** Whether new legs are still placed. */
  accepting(): boolean;
  /** Called when connections can be accepted no more. */
  onOver?: ((error: Error) => void) | undefined;
  log?(line: string, fields?: Record<string, unknown>): void;
}

export interface Control {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens for what the service orders: signed POSTs of JSON, and an open probe. */
export async function listenControl(options: ControlOptions): Promise<Control> {
  const { hostname, port, bridgeSecret: secret } = options;
  const read = requestReader({ secret, now: Date.now });
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET" && pathname === protocolPaths.ready) {
      const ready = options.accepting();
      const { companion } = options;
      return Response.json({ ready, companion }, { status: ready ? 200 : 503 });
    }
    const body = await read(request, { path: pathname, maxBytes: protocolLimits.bodyBytes });
    if (typeof body !== "string") return refusal(body.status, body.why);
    return await order(options, pathname, body);
  };
  const server = await serveHttp({
    address: { hostname, port, name: "BRIDGE_PORT" },
    takePlace: createPlaces(netLimits.internalConnections),
    onOver: options.onOver,
    log: options.log,
  }, async (request) => forPrograms(await answer(request)));
  return {
    url: `http://${hostPort(server.address.host, server.address.port)}`,
    close: () => server.shutdown(),
  };
}

const refusal = (status: number, error: string): Response => Response.json({ error }, { status });

async function order(options: ControlOptions, path: string, body: string): Promise<Response> {
  if (path === protocolPaths.run) return run(options, body);
  if (path === protocolPaths.mute) return mute(options, body);
  if (path === registrationPaths.bindings) return bindings(options, body);
  if (path === trunkPaths.gatewaysChanged) {
    options.gatewaysChanged();
    return Response.json({ companion: options.companion });
  }
  if (path === messagePaths.order) return await message(options, body);
  if (path === messagePaths.outward) return await outward(options, body);
  if (path === roomPaths.order) return room(options, body);
  if (path !== protocolPaths.invalidate) return refusal(404, `Cannot find "${path}"`);
  const asked = invalidation.safeParse(json(body, options.bridgeSecret));
  if (!asked.success) return refusal(400, `Cannot invalidate: ${asked.error.message}`);
  await options.invalidate(asked.data.logins);
  return Response.json({ companion: options.companion });
}

function run(options: ControlOptions, body: string): Response {
  const { calls, companion, accepting, bridgeSecret } = options;
  if (!accepting()) return refusal(503, "Cannot run a script: the companion is stopping");
  const asked = runRequest.safeParse(json(body, bridgeSecret));
  if (!asked.success) return refusal(400, `Cannot run a script: ${asked.error.message}`);
  const { leg } = asked.data;
  if (runScript(calls, asked.data) === "run") return Response.json({ companion });
  return refusal(404, `Cannot run a script: no leg ${leg} is here`);
}

function room({ calls, bridgeSecret }: ControlOptions, body: string): Response {
  const asked = roomOrder.safeParse(json(body, bridgeSecret));
  if (!asked.success) return refusal(400, `Cannot order in a room: ${asked.error.message}`);
  return Response.json({ isKnown: calls.rooms.order(asked.data) });
}

function mute({ calls, bridgeSecret }: ControlOptions, body: string): Response {
  const asked = muteRequest.safeParse(json(body, bridgeSecret));
  if (!asked.success) return refusal(400, `Cannot mute a leg: ${asked.error.message}`);
  const { leg, muted } = asked.data;
  const known = calls.find(leg);
  if (known === undefined) return refusal(404, `Cannot mute a leg: no leg ${leg} is here`);
  known.leg.media?.setMuted(muted);
  return Response.json({ isDone: known.leg.media !== undefined });
}

function bindings(options: ControlOptions, body: string): Response {
  const asked = bindingsRequest.safeParse(json(body, options.bridgeSecret));
  if (!asked.success) return refusal(400, `Cannot list bindings: ${asked.error.message}`);
  return Response.json({ bindings: options.bindings(asked.data.login) });
}

async function message(options: ControlOptions, body: string): Promise<Response> {
  if (!options.accepting()) return refusal(503, "Cannot send a message: the companion is stopping");
  const asked = messageOrder.safeParse(json(body, options.bridgeSecret));
  if (!asked.success) return refusal(400, `Cannot send a message: ${asked.error.message}`);
  return Response.json({ statuses: await options.message(asked.data) });
}

async function outward(options: ControlOptions, body: string): Promise<Response> {
  if (!options.accepting()) return refusal(503, "Cannot send a message: the companion is stopping");
  const asked = outwardOrder.safeParse(json(body, options.bridgeSecret));
  if (!asked.success) return refusal(400, `Cannot send a message: ${asked.error.message}`);
  return Response.json({ status: await options.outward(asked.data) });
}

function json(text: string, bridgeSecret: string): unknown {
  try {
    return readSealed(bridgeSecret, text);
  } catch {
    return undefined;
  }
}
