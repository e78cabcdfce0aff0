import assert from "node:assert/strict";
import { smppAddress } from "../../../core/machine/start/carriers.ts";
import { takeDelivery } from "../../../core/machine/adapters/smpp/deliver.ts";
import { type SmppLink, startSmppLink } from "../../../core/machine/adapters/smpp/link.ts";
import type { SmppTimings } from "../../../core/machine/adapters/smpp/session.ts";
import { type App, type AppOptions, startApp } from "./app.ts";
import { type Delivered, type MessageCenter, startMessageCenter } from "./message_center.ts";

export const ours = "+14155550101";
export const far = "+442079460000";
export const quick: SmppTimings = {
  answerMs: 10_000,
  enquireMs: 60_000,
  pauseMs: 5,
  pauseMaxMs: 20,
};

export interface Lab extends AsyncDisposable {
  app: App;
  center: MessageCenter;
  link: SmppLink;
}

/** The service, bound to a message center; on a shared store if one is given. */
export async function startLab(
  { timings = {}, receipts = true, password = "s3cret", shared }: {
    timings?: Partial<SmppTimings>;
    receipts?: boolean;
    password?: string;
    shared?: AppOptions["shared"];
  } = {},
): Promise<Lab> {
  const app = await startApp(shared && { shared });
  const center = await startMessageCenter();
  app.ports.settings.smsRateMicros = (number) => number.startsWith("+44") ? 40_000 : 0;
  const link = startSmppLink({
    address: { ...smppAddress(center.url, ""), password },
    timings: { ...quick, ...timings },
    receipts,
    onDeliver: (pdu) => takeDelivery(pdu, app.ports, { receiptPausesMs: [1] }),
    log: app.ports.log,
  });
  app.ports.messageRoutes.push(link);
  if (password === "s3cret") await link.bound();
  return {
    app,
    center,
    link,
    async [Symbol.asyncDispose]() {
      await link.stop();
      assert.deepEqual(center.faults, []);
      await center[Symbol.asyncDispose]();
      app[Symbol.dispose]();
    },
  };
}

/** A text that a message center delivers. */
export const delivered = (fields: Delivered = {}): Delivered => ({
  source_addr: "442079460000",
  source_addr_ton: 1,
  destination_addr: "14155550101",
  short_message: "good day",
  ...fields,
});

/** The texts that an account received, oldest first. */
export async function receivedBy({ app }: Lab): Promise<Record<string, string>[]> {
  const { messages } = (await app.root.get("SMS/Messages.json?PageSize=1000")).json();
  const isReceived = ({ status }: Record<string, string>) => status === "received";
  return messages.filter(isReceived).toReversed();
}
