import type { BridgeSecret } from "../../core/protocol/bridge_secret.ts";
import { Hono } from "hono";
import { forPrograms } from "../../core/base/safe_headers.ts";
import { type ServiceRequests, serviceRequests } from "../../core/protocol/requests.ts";
import { type HandlersOf, serveRequests } from "../../core/protocol/serve.ts";
import { withinShare } from "../../core/base/loop_work.ts";
import { createReports } from "../../core/reports/take_reports.ts";
import { takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { takePresence } from "../../core/companions/companions.ts";
import { createTenants, subAccounts } from "../../core/accounts/tenant.ts";
import { credentialsOf } from "../../core/accounts/credentials.ts";
import { numberOf } from "../../core/numbers/find_number.ts";
import { registrationsOf, takeGatewayReport } from "../../core/numbers/gateway_registrations.ts";
import { takeDisplay } from "../../core/messages/take_display.ts";
import { messageTaker } from "../../core/messages/take_message.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { takePart } from "../../core/recordings/take_part.ts";
import { takeTrace } from "../../core/reports/take_trace.ts";
import { takeTrunkMessage } from "./trunk_message.ts";

/** Requests of companions to the service (core/protocol/requests.ts); mounted at /bridge. */
export function protocolRoutes(ports: Ports, secret: BridgeSecret): Hono {
  const serve = serveRequests({
    requests: serviceRequests,
    handlers: handlersOf(ports),
    secret,
    now: ports.now,
  });
  return new Hono().post("/:request", async (c) => forPrograms(await serve(c.req.raw)));
}

function handlersOf(ports: Ports): HandlersOf<ServiceRequests> {
  const reports = createReports(ports);
  let operator: string | undefined;
  const tenants = createTenants(ports.accounts);
  const inShare = async <T>(accountSid: string, kind: string, work: () => Promise<T>) =>
    await withinShare(ports.loop, { tenant: await tenants.find(accountSid), kind }, work);
  return {
    scripts: (sent, { signal, send }) => reports.scripts(sent.reports, signal, send),
    events: async (sent, { signal }) => ({ outcomes: await reports.events(sent.reports, signal) }),
    async credentials({ login }) {
      ports.absentLogins.noteQuery(login);
      return { credentials: await credentialsOf(login, ports) };
    },
    async heartbeat(beat) {
      const answer = await takeHeartbeat(beat, ports);
      const found = await subAccounts(beat.legs.map(({ accountSid }) => accountSid), tenants);
      operator ??= (await ports.accounts.children(""))[0]?.sid;
      return {
        ...answer,
        ...Object.keys(found).length > 0 && { tenants: found },
        ...operator !== undefined && { operator },
      };
    },
    presence: async (changes) => ({ isKnown: await takePresence(changes, ports) }),
    number: async (query) => ({ number: await numberOf(query, ports) }),
    gateways: async ({ companionId }) => ({ gateways: await registrationsOf(companionId, ports) }),
    async gateway(report) {
      await takeGatewayReport(report, ports);
      return {};
    },
    message: messageTaker(ports),
    display: (report) => inShare(report.accountSid, "display", () => takeDisplay(report, ports)),
    trunkMessage: (message) => takeTrunkMessage(message, ports),
    async trace(report) {
      await inShare(report.accountSid, "trace", () => takeTrace(report, ports));
      return {};
    },
    async recordingPart(part) {
      const take = () => takePart(part, ports);
      return { isWanted: await inShare(part.recording.accountSid, "recording part", take) };
    },
  };
}
