import type { TrunkMessage } from "../../../core/protocol/messages.ts";
import type { ServiceRequests } from "../../../core/protocol/requests.ts";
import type { HandlersOf } from "../../../core/protocol/serve.ts";
import type {
  FoundNumber,
  GatewayReport,
  NumberQuery,
  Registration,
} from "../../../core/protocol/trunks.ts";

/** Trunks of a fake service, and the reports that it got of them. */
export interface FakeTrunks {
  /** The Gateways that companions are to keep registered. */
  gateways: Registration[];
  readonly reports: GatewayReport[];
  readonly queries: NumberQuery[];
  /** Texts that trunks brought. */
  readonly messages: TrunkMessage[];
  /** Owner of a number; none unless set. */
  number: (query: NumberQuery) => FoundNumber | null;
}

export const fakeTrunks = (): FakeTrunks => ({
  gateways: [],
  reports: [],
  queries: [],
  messages: [],
  number: () => null,
});

/** Handlers of a companion's requests and reports about trunks. */
export const trunkHandlers = (
  trunks: FakeTrunks,
): Pick<HandlersOf<ServiceRequests>, "number" | "trunkMessage" | "gateways" | "gateway"> => ({
  number(query) {
    trunks.queries.push(query);
    return { number: trunks.number(query) };
  },
  trunkMessage(message) {
    trunks.messages.push(message);
    return { status: 202 };
  },
  gateways: () => ({ gateways: trunks.gateways }),
  gateway(report) {
    trunks.reports.push(report);
    return {};
  },
});
