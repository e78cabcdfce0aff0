import { messagePaths, type TrunkMessage, trunkMessage } from "../../../core/protocol/messages.ts";
import {
  type FoundNumber,
  type GatewayReport,
  gatewayReport,
  gatewaysQuery,
  type NumberQuery,
  numberQuery,
  type Registration,
  trunkPaths,
} from "../../../core/protocol/trunks.ts";

/** What a fake service says about trunks, and is told. */
export interface FakeTrunks {
  /** The Gateways that companions are to keep registered. */
  gateways: Registration[];
  readonly reports: GatewayReport[];
  readonly queries: NumberQuery[];
  /** Texts that trunks brought. */
  readonly messages: TrunkMessage[];
  /** Whose number it is; nobody's unless set. */
  number: (query: NumberQuery) => FoundNumber | null;
}

export const fakeTrunks = (): FakeTrunks => ({
  gateways: [],
  reports: [],
  queries: [],
  messages: [],
  number: () => null,
});

/** Answers what a companion asks about trunks; undefined for anything else. */
export function answerTrunks(
  trunks: FakeTrunks,
  path: string,
  content: unknown,
): Response | undefined {
  if (path === trunkPaths.number) {
    const query = numberQuery.parse(content);
    trunks.queries.push(query);
    return Response.json({ number: trunks.number(query) });
  }
  if (path === messagePaths.trunkMessage) {
    trunks.messages.push(trunkMessage.parse(content));
    return Response.json({ status: 202 });
  }
  if (path === trunkPaths.gateways) {
    gatewaysQuery.parse(content);
    return Response.json({ gateways: trunks.gateways });
  }
  if (path !== trunkPaths.gateway) return undefined;
  trunks.reports.push(gatewayReport.parse(content));
  return Response.json({});
}
