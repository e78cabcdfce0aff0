import { gatewayRoute } from "../../messages/gateway_route.ts";
import type { Ports } from "../../model/ports/ports.ts";
import type { MessageRoute } from "../../model/ports/providers.ts";
import type { Config } from "../configuration/config.ts";
import { smsAggregator } from "../adapters/sms_aggregator.ts";
import { takeDelivery } from "../adapters/smpp/deliver.ts";
import { type SmppLink, startSmppLink } from "../adapters/smpp/link.ts";
import type { SmppAddress, SmppTimings } from "../adapters/smpp/session.ts";

const timings: SmppTimings = {
  answerMs: 10_000,
  enquireMs: 30_000,
  pauseMs: 1_000,
  pauseMaxMs: 60_000,
};
const receiptPausesMs = [250, 500, 1_000, 2_000];

/**
 * Opens the operator's ways for messages, in the order of SMS_ROUTES, and begins to take what they
 * bring.
 */
export function openCarriers(config: Config, ports: Ports): { stop(): Promise<void> } {
  const smpp = config.SMPP_URL === "" ? null : smppLink(config, ports);
  const http = config.SMS_URL === ""
    ? null
    : smsAggregator({ url: config.SMS_URL, token: config.SMS_TOKEN });
  const routes: Record<string, MessageRoute | null> = { smpp, http, gateway: gatewayRoute(ports) };
  const wanted = config.SMS_ROUTES.split(",").map((name) => routes[name] ?? null);
  ports.messageRoutes.push(...wanted.filter((route) => route !== null));
  return {
    async stop() {
      await smpp?.stop();
    },
  };
}

function smppLink(config: Config, ports: Ports): SmppLink {
  return startSmppLink({
    address: smppAddress(config.SMPP_URL, config.SMPP_SYSTEM_TYPE),
    timings,
    receipts: config.SMPP_RECEIPTS,
    onDeliver: (pdu) => takeDelivery(pdu, ports, { receiptPausesMs }),
    log: ports.log,
  });
}

/** Settings in `smpp://SYSTEM_ID:PASSWORD@HOST:PORT`. */
export function smppAddress(text: string, systemType: string): SmppAddress {
  const { protocol, hostname, port, username, password } = new URL(text);
  const tls = protocol === "smpps:";
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || (tls ? 3550 : 2775),
    tls,
    systemId: decodeURIComponent(username),
    password: decodeURIComponent(password),
    systemType,
  };
}
