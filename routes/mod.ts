import { Hono } from "hono";
import { Fault } from "../core/faults.ts";
import { limits } from "../core/limits.ts";
import type { Ports } from "../core/ports.ts";
import type { AnyResource } from "../core/resource.ts";
import { resources } from "../core/resources/mod.ts";
import { accountRoutes } from "./accounts.ts";
import { allowedMethods } from "./allowed_methods.ts";
import { accountScope, authenticate, readOnlyUnlessActive } from "./authenticate.ts";
import { availablePhoneNumberRoutes } from "./available_phone_numbers.ts";
import { callRoutes } from "./calls.ts";
import type { Env } from "./env.ts";
import { answerFault, explain, onError } from "./errors.ts";
import { routedPath } from "./format.ts";
import { health } from "./health.ts";
import { incomingPhoneNumberRoutes } from "./incoming_phone_numbers.ts";
import { accountsAddress } from "./represent.ts";
import { requestId } from "./request_id.ts";
import { resourceRoutes } from "./resource_routes.ts";
import { usageRoutes } from "./usage.ts";

/** Interfaces of other kinds beside this one, each below `/{name}` and with its own authentication. */
export type Mounts = Record<string, Hono>;

/** The whole HTTP interface: a pure function of its ports, so tests call `.request()` without a socket. */
export function routes(ports: Ports, mounts: Mounts = {}): Hono<Env> {
  const app = new Hono<Env>({ getPath: routedPath });
  const account = `${accountsAddress}/:account`;

  app.use(requestId);
  app.route("/", health(ports));
  app.get("/errors/:code", explain);
  for (const [name, mount] of Object.entries(mounts)) app.route(`/${name}`, mount);

  app.use(`/${limits.apiVersion}/*`, authenticate(ports.accounts));
  app.use(`${account}/*`, accountScope(ports.accounts));
  app.route(accountsAddress, accountRoutes(ports)); // Before: an account can be activated again.
  app.use(`${account}/*`, readOnlyUnlessActive(ports.accounts));
  app.route(`${account}/Calls`, callRoutes(ports));
  app.route(`${account}/IncomingPhoneNumbers`, incomingPhoneNumberRoutes(ports));
  app.route(`${account}/AvailablePhoneNumbers`, availablePhoneNumberRoutes(ports));
  app.route(`${account}/Usage/Records`, usageRoutes(ports));
  for (const [name, definition] of Object.entries<AnyResource>(resources)) {
    if (definition.irregular) continue;
    const records = ports.records[name as keyof typeof resources];
    app.route(`${account}/${definition.path}`, resourceRoutes(definition, records, ports));
  }

  app.onError(onError(ports));
  const allowed = allowedMethods(app);
  app.notFound((c) => {
    const methods = allowed(c.req.path);
    if (methods.length === 0) return answerFault(c, new Fault("notFound", c.req.path), ports);
    c.header("Allow", methods.join(", "));
    return answerFault(c, new Fault("methodNotAllowed"), ports);
  });
  return app;
}
