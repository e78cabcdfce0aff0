import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { inForceAtOnce } from "../core/accounts/in_force.ts";
import { type DailyNotices, dailyNotices } from "../core/webhooks/daily_notices.ts";
import { Fault } from "../core/base/faults.ts";
import { limits } from "../core/base/limits.ts";
import type { Ports } from "../core/model/ports/ports.ts";
import { withLinks } from "../core/recordings/link.ts";
import type { AnyResource } from "../core/model/resource.ts";
import { gateways } from "../core/model/resources/gateways.ts";
import { boundedGateways } from "../core/numbers/gateway_bounds.ts";
import { incomingPhoneNumbers } from "../core/model/resources/incoming_phone_numbers.ts";
import { type resources, resourcesUnder } from "../core/model/resources/mod.ts";
import { accountRoutes, subAccountRoutes } from "./resources/accounts.ts";
import { authTokenRoutes, authTokenUseRoutes } from "./resources/auth_tokens.ts";
import { keyRoutes } from "./resources/keys.ts";
import { allowedMethods } from "./http/allowed_methods.ts";
import {
  accountScope,
  authenticate,
  boundsOf,
  notForTests,
  permitted,
  readOnlyUnlessActive,
} from "./http/authenticate.ts";
import { availablePhoneNumberRoutes } from "./resources/available_phone_numbers.ts";
import { notStored, ownSiteOnly, safeHeaders } from "./http/browsers.ts";
import { callerIdRoutes } from "./resources/caller_ids.ts";
import { callRoutes } from "./resources/calls.ts";
import { clientRoutes } from "./resources/clients.ts";
import { conferenceRoutes } from "./resources/conferences.ts";
import { authoredFlows, dryRunRoutes } from "./resources/flows.ts";
import { deliveryRoutes } from "./resources/deliveries.ts";
import { documentTestRoutes } from "./resources/document_tests.ts";
import { emailRoutes } from "./resources/emails.ts";
import { eventRoutes, levelRoutes } from "./events/routes.ts";
import type { Env } from "./http/env.ts";
import { answerFault, explain, onError } from "./http/errors.ts";
import { routedPath } from "./http/format.ts";
import { geolocationRoutes } from "./resources/geolocations.ts";
import { limitRoutes } from "./resources/limits.ts";
import { headLength } from "./http/head_length.ts";
import { health } from "./health.ts";
import { incomingPhoneNumberRoutes } from "./resources/incoming_phone_numbers.ts";
import { messageRoutes } from "./resources/messages.ts";
import { openAudio, recordingRoutes } from "./resources/recordings.ts";
import { reference } from "./reference.ts";
import { accountsAddress } from "./http/represent.ts";
import { logRequests } from "./http/log_requests.ts";
import { measureRequests } from "./http/measure_requests.ts";
import { whileWritable } from "./http/while_writable.ts";
import { warnOfPrivateUrls } from "./http/private_urls.ts";
import { nearPaths } from "./http/near_path.ts";
import { requestId } from "./http/request_id.ts";
import { noticeUnknown } from "./http/unknown_names.ts";
import { resourceRoutes } from "./resources/resource_routes.ts";
import { secondFactorRoutes } from "./resources/second_factor.ts";
import type { LoopShares } from "../core/base/loop_work.ts";
import { unauthenticatedShare } from "./http/loop_share.ts";
import { sandboxRoutes } from "./resources/sandbox.ts";
import { statisticsRoutes } from "./resources/statistics.ts";
import { streamRoutes } from "./resources/streams.ts";
import { recordingTranscriptionRoutes } from "./resources/transcriptions.ts";
import { supervisorRoutes } from "./resources/supervisor.ts";
import { productRoots, refuseParts, refuseProducts } from "./twilio/absent.ts";
import { authTokensPath, twilioAuthTokens } from "./twilio/auth_tokens.ts";
import { twilioAccountRoutes, twilioRoutes } from "./twilio/mod.ts";
import { tokenRoutes } from "./resources/tokens.ts";
import { usageRoutes } from "./resources/usage.ts";
import { ussdPushRoutes } from "./resources/ussd_push.ts";

/**
 * Further interfaces, each below `/{name}` and with its own authentication.
 */
export type Mounts = Record<string, Hono>;

/** Mounts of the operator's own programs, which wait for no share. */
const trustedMounts = new Set(["bridge", "metrics"]);

/** The second is that of Twilio's libraries, and of gateways. */
const versions = [limits.apiVersion, limits.twilioApiVersion];

/** Routes that are not derived. They come before the derived ones of the same path. */
function irregularRoutes(app: Hono<Env>, account: string, ports: Ports): void {
  app.route(`${account}/Applications`, dryRunRoutes(ports));
  app.route(`${account}/Accounts`, subAccountRoutes(ports));
  app.route(`${account}/Calls`, callRoutes(ports));
  app.route(`${account}/Calls`, streamRoutes(ports));
  app.route(`${account}/Clients`, clientRoutes(ports));
  app.route(`${account}/OutgoingCallerIds`, callerIdRoutes(ports));
  app.route(`${account}/Conferences`, conferenceRoutes(ports));
  app.route(`${account}/Webhooks/Deliveries`, deliveryRoutes(ports));
  app.route(`${account}/Webhooks/Tests`, documentTestRoutes(ports));
  app.route(`${account}/Email/Messages`, emailRoutes(ports));
  app.route(`${account}/Events`, eventRoutes(ports));
  app.route(`${account}/Levels`, levelRoutes(ports));
  app.route(`${account}/Geolocation`, geolocationRoutes(ports));
  app.route(`${account}/Recordings`, recordingRoutes(ports));
  app.route(`${account}/Recordings`, recordingTranscriptionRoutes(ports));
  app.route(`${account}/Sandbox`, sandboxRoutes(ports));
  app.route(`${account}/IncomingPhoneNumbers`, incomingPhoneNumberRoutes(ports));
  app.route(`${account}/AvailablePhoneNumbers`, availablePhoneNumberRoutes(ports));
  app.route(`${account}/SecondFactor`, secondFactorRoutes(ports));
  app.route(`${account}/Keys`, keyRoutes(ports));
  app.route(`${account}/Limits`, limitRoutes(ports));
  app.route(`${account}/SMS/Messages`, messageRoutes(ports));
  app.route(`${account}/Statistics`, statisticsRoutes(ports));
  app.route(`${account}/Tokens`, tokenRoutes(ports));
  app.route(`${account}/Supervisor`, supervisorRoutes(ports));
  app.route(`${account}/Usage/Records`, usageRoutes(ports));
  app.route(`${account}/UssdPush`, ussdPushRoutes(ports));
}

const noNumbers = "a test account has no phone numbers; it may send any number as From";

/** Routes of accounts, and the permissions of requests below one. */
function guardedAccounts(
  app: Hono<Env>,
  ports: Ports,
  { shares, notices }: { shares: LoopShares; notices: DailyNotices },
): void {
  const bounds = boundsOf(ports, shares);
  for (const version of versions) {
    app.use(`/${version}/*`, authenticate(ports, bounds), whileWritable(ports));
    app.use(`/${version}/Accounts/:account/*`, accountScope(ports.accounts));
  }
  app.route(accountsAddress, accountRoutes(ports)); // Before: an account can be activated again.
  app.route(`/${limits.twilioApiVersion}/Accounts`, twilioAccountRoutes(ports));
  for (const version of versions) {
    const below = `/${version}/Accounts/:account`;
    app.use(`${below}/*`, readOnlyUnlessActive(ports.accounts));
    app.use(`${below}/${gateways.path}/*`, permitted("manageGateways"));
    app.use(`${below}/${gateways.path}/*`, notForTests("a test account has no Gateways"));
    app.use(`${below}/${incomingPhoneNumbers.path}/*`, notForTests(noNumbers));
    app.route(`${below}/AuthTokens`, authTokenUseRoutes());
    for (const credentials of ["Keys", "SigningKeys", "AuthTokens"]) {
      app.use(`${below}/${credentials}/*`, permitted("manageCredentials"));
    }
    app.route(`${below}/AuthTokens`, authTokenRoutes(ports));
  }
  for (const root of productRoots) {
    app.use(`/${root}/*`, authenticate(ports, bounds), whileWritable(ports), own);
  }
  app.use(`${authTokensPath}/*`, permitted("manageCredentials"));
  app.route(authTokensPath, authTokenRoutes(ports, twilioAuthTokens));
  const { settings } = ports;
  for (const root of productRoots) {
    app.all(`/${root}/*`, refuseProducts({ settings, notices }));
  }
}

/** A path without an account is of that of the credentials. */
const own = createMiddleware<Env>(async (c, next) => {
  c.set("account", c.var.caller);
  await next();
});

/** Interfaces of the operator's own programs, and pages that are reached by links alone. */
const unnamed = /^\/(?:bridge|metrics|demo|sms|console\/)/;

/** The paths of all routes that people may have meant. */
const pathsOf = (app: Hono<Env>): string[] =>
  app.routes.filter(({ method, path }) => method !== "ALL" && !unnamed.test(path))
    .map(({ path }) => path === "/openapi" ? "/openapi.json" : path);

/**
 * The whole HTTP interface: a pure function of its ports, so tests call `.request()` without a
 * socket.
 */
export function routes(ports: Ports, mounts: Mounts = {}): Hono<Env> {
  const app = new Hono<Env>({ getPath: routedPath });
  const account = `${accountsAddress}/:account`;

  app.use(measureRequests, requestId, safeHeaders, headLength);
  app.route("/", health(ports));
  const shares = ports.loop;
  const shared = unauthenticatedShare(shares);
  app.use("/openapi", shared).route("/", reference(ports));
  app.get("/errors/:code", shared, explain(Object.keys(mounts)));
  for (const [name, mount] of Object.entries(mounts)) {
    if (!trustedMounts.has(name)) app.use(name === "" ? "/" : `/${name}/*`, shared);
    app.route(`/${name}`, mount);
  }

  const notices = dailyNotices(ports);
  const first = [logRequests(ports), notStored, ownSiteOnly(ports)];
  for (const version of versions) {
    app.use(`/${version}/*`, ...first);
    app.use(`/${version}/Accounts/:account/*`, warnOfPrivateUrls(ports));
    app.use(`/${version}/*`, noticeUnknown(ports, notices));
  }
  for (const root of productRoots) app.use(`/${root}/*`, ...first);
  for (const version of versions) { // Before authentication: a link is enough.
    app.use(`/${version}/Accounts/:account/Recordings/:sid`, openAudio(ports));
  }
  guardedAccounts(app, ports, { shares, notices });
  irregularRoutes(app, account, ports);
  const collections = {
    ...ports.records,
    applications: authoredFlows(ports),
    gateways: boundedGateways(ports),
    clients: inForceAtOnce(ports.records.clients, ports),
    recordings: withLinks(ports.records.recordings, ports),
  };
  for (const [name, definition] of Object.entries<AnyResource>(resourcesUnder(ports.settings))) {
    if (definition.irregular) continue;
    const records = collections[name as keyof typeof resources];
    app.route(`${account}/${definition.path}`, resourceRoutes(definition, records, ports));
  }
  app.route(
    `/${limits.gatewayApiVersion}/Accounts/:account/${gateways.path}`,
    resourceRoutes(gateways, collections.gateways, ports),
  );

  const twilio = `/${limits.twilioApiVersion}/Accounts/:account`;
  app.route(`${twilio}/Recordings`, recordingRoutes(ports));
  app.route(twilio, twilioRoutes(ports));
  app.all(`${twilio}/*`, refuseParts({ settings: ports.settings, notices }));

  const served = Object.keys(mounts);
  app.onError(onError(ports, served));
  const allowed = allowedMethods(app);
  const pages = served.map((name) => `/${name}`).filter((path) => !unnamed.test(path));
  const near = nearPaths([...pathsOf(app), ...pages]);
  app.notFound((c) => {
    const { path } = c.req;
    const plain = path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "");
    if (plain !== path && allowed(plain).includes(c.req.method)) { // Pages have relative links.
      const { pathname } = new URL(ports.settings.baseUrl);
      return c.redirect(pathname.replace(/\/$/, "") + plain + new URL(c.req.url).search, 308);
    }
    const methods = allowed(path);
    if (methods.length === 0) {
      const hint = near(path);
      const fault = new Fault("notFound", hint === "" ? path : `${path}. ${hint}`);
      return answerFault(c, fault, { settings: ports.settings, served });
    }
    c.header("Allow", methods.join(", "));
    return answerFault(c, new Fault("methodNotAllowed"), ports);
  });
  return app;
}
