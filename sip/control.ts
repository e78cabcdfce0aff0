import type { BridgeSecret } from "../core/protocol/bridge_secret.ts";
import type { Companion, RunAnswer, RunOrder } from "../core/protocol/companion.ts";
import type {
  MessageOrder,
  NotificationOrder,
  OutwardOrder,
  OutwardOutcome,
} from "../core/protocol/messages.ts";
import type { RegisteredBinding } from "../core/protocol/registrations.ts";
import { type CompanionRequests, companionRequests, readyPath } from "../core/protocol/requests.ts";
import { type HandlersOf, Refusal, serveRequests } from "../core/protocol/serve.ts";
import { serveHttp } from "../core/machine/net/http_server.ts";
import { netLimits } from "../core/machine/net/limits.ts";
import { createPlaces } from "../core/machine/net/places.ts";
import { withOrigin } from "../core/base/origin.ts";
import { traced } from "../core/base/tracing.ts";
import { forPrograms } from "../core/base/safe_headers.ts";
import type { Calls } from "./contracts/calls.ts";
import { runScript } from "./script/create_calls.ts";
import { createLevels } from "./script/stream_levels.ts";
import { hostPort } from "./transport/local_name.ts";

export interface ControlOptions {
  hostname: string;
  port: number;
  bridgeSecret: BridgeSecret;
  companion: Companion;
  calls: Calls;
  /** Removes cached credentials of these logins, and bindings that they may no longer have. */
  invalidate(logins: string[]): Promise<void>;
  /** The devices that a login is registered with here. */
  bindings(login: string): RegisteredBinding[];
  /** The list of Gateways to be registered may have changed. */
  gatewaysChanged(): void;
  /** Sends a message to the devices of a login; the final status of each. */
  message(order: MessageOrder): Promise<number[]>;
  /** Notifies the devices of a login that know IMDN; the final status of each. */
  notification(order: NotificationOrder): Promise<number[]>;
  /** Sends a message to a number elsewhere; its final status, null when no recipient has it. */
  outward(order: OutwardOrder): Promise<OutwardOutcome>;
  /** True while new legs are placed. */
  accepting(): boolean;
  /** Called when connections can be accepted no more. */
  onOver?: ((error: Error) => void) | undefined;
  log?(line: string, fields?: Record<string, unknown>): void;
}

export interface Control {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens for requests of the service (core/protocol/requests.ts), and an open probe. */
export async function listenControl(options: ControlOptions): Promise<Control> {
  const { hostname, port, bridgeSecret: secret } = options;
  const serve = serveRequests({
    requests: companionRequests,
    handlers: handlersOf(options),
    secret,
    now: Date.now,
  });
  const answer = (request: Request): Response | Promise<Response> => {
    const isProbe = request.method === "GET" && new URL(request.url).pathname === readyPath;
    if (!isProbe) return serve(request);
    const ready = options.accepting();
    return Response.json({ ready, companion: options.companion }, { status: ready ? 200 : 503 });
  };
  const server = await serveHttp({
    address: { hostname, port, name: "BRIDGE_PORT" },
    places: createPlaces(netLimits.internalConnections),
    onOver: options.onOver,
    log: options.log,
  }, async (request) => forPrograms(await answer(request)));
  return {
    url: `http://${hostPort(server.address.host, server.address.port)}`,
    close: () => server.shutdown(),
  };
}

function handlersOf(options: ControlOptions): HandlersOf<CompanionRequests> {
  const { calls, companion } = options;
  const levels = createLevels(calls);
  const mustAccept = () => {
    if (!options.accepting()) throw new Refusal(503, "The companion is stopping");
  };
  const run = async (order: RunOrder): Promise<RunAnswer> => {
    if (calls.find(order.leg) === undefined) mustAccept();
    const attributes = { "switchboard.call_sid": order.leg };
    const result = await withOrigin(
      order.origin,
      () => traced("run script", { kind: "server", attributes }, () => runScript(calls, order)),
    );
    return { companion: result === "run" ? companion : null };
  };
  return {
    run,
    runs: async ({ orders }) => ({
      answers: await Promise.all(orders.map((order) => run(order).catch(() => null))),
    }),
    mute({ leg, muted }) {
      const call = calls.find(leg);
      if (call === undefined) throw new Refusal(404, `Cannot find leg ${leg}`);
      const { media } = call.leg;
      media?.setMuted(muted);
      return { isDone: media !== undefined };
    },
    async invalidate({ logins }) {
      await options.invalidate(logins);
      return {};
    },
    bindings: ({ login }) => ({ bindings: options.bindings(login) }),
    gatewaysChanged: () => (options.gatewaysChanged(), {}),
    async message(order) {
      mustAccept();
      return { statuses: await options.message(order) };
    },
    async notification(order) {
      mustAccept();
      return { statuses: await options.notification(order) };
    },
    async outwardMessage(order) {
      mustAccept();
      return await options.outward(order);
    },
    recording({ leg, order }) {
      if (order.type !== "start") return { isDone: calls.recordings.change(order) };
      const live = calls.find(leg);
      if (live?.leg.media === undefined) return { isDone: false };
      live.tasks.record(order);
      return { isDone: true };
    },
    stream({ leg, order }) {
      const live = calls.find(leg);
      if (live === undefined) return { isDone: false };
      if (order.type === "stop") return { isDone: live.streams.stop(order.sid) };
      void live.streams.start(order.stream);
      return { isDone: true };
    },
    levels: (request) => ({ levels: levels.read(request) }),
    conference: (order) => ({ isKnown: calls.conferences.order(order) }),
  };
}
