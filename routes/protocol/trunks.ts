import { gatewayReport, gatewaysQuery, numberQuery } from "../../core/protocol/trunks.ts";
import { numberOf } from "../../core/gateways/find_number.ts";
import { registrationsOf, takeGatewayReport } from "../../core/gateways/registrations.ts";
import type { Ports } from "../../core/ports/ports.ts";

/** What companions ask of the service about trunks; each gives null for what it cannot read. */
export const trunkHandlers = (ports: Ports) => ({
  async number(content: unknown) {
    const { data } = numberQuery.safeParse(content);
    return data === undefined ? null : { number: await numberOf(data, ports) };
  },
  async gateways(content: unknown) {
    const { data } = gatewaysQuery.safeParse(content);
    if (data === undefined) return null;
    return { gateways: await registrationsOf(data.companionId, ports) };
  },
  async gateway(content: unknown) {
    const { data } = gatewayReport.safeParse(content);
    if (data !== undefined) await takeGatewayReport(data, ports);
    return data === undefined ? null : {};
  },
});
