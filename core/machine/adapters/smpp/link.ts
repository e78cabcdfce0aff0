import { steadyNow } from "../../../base/steady_clock.ts";
import { Fault } from "../../../base/faults.ts";
import { limits } from "../../../base/limits.ts";
import { Undelivered } from "../../../model/values/undelivered.ts";
import type { Delivery, MessageRoute } from "../../../model/ports/providers.ts";
import type { Message } from "../../../model/resources/messages.ts";
import { errors, type Pdu, statusName } from "./library.ts";
import {
  bindSession,
  SmppLost,
  type SmppSession,
  type SmppSessionOptions,
  type SmppTimings,
} from "./session.ts";
import { type Segment, segmentsOf } from "./text.ts";

export interface SmppLinkOptions extends SmppSessionOptions {
  /** The message center sends receipts; without them a text that it took counts as sent. */
  receipts: boolean;
}

/** A connection to a message center that is made again whenever it is lost. */
export interface SmppLink extends MessageRoute {
  /** Resolves when it is bound; at once when it is. */
  bound(): Promise<void>;
  stop(): Promise<void>;
}

/** Requests that may wait for their answers at once. */
const windowSize = 10;
/** Times that a throttled text is sent again before its job waits for longer. */
const throttledTries = 5;

/** Begins to connect, and goes on for ever. */
export function startSmppLink(options: SmppLinkOptions): SmppLink {
  const { timings, log } = options;
  const stopping = new AbortController();
  let session: SmppSession | null = null;
  let whenBound = Promise.withResolvers<void>();

  async function keep(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted;) {
      try {
        session = await bindSession(options, stopping.signal);
        failures = 0;
        whenBound.resolve();
        const error = await session.closed;
        if (!stopping.signal.aborted) {
          log("Lost the connection to the SMS message center", { error });
        }
      } catch (error) {
        const isNews = failures === 0 && !stopping.signal.aborted;
        if (isNews) log("Cannot bind to the SMS message center", { error: String(error) });
        failures++;
      }
      session = null;
      whenBound = Promise.withResolvers();
      await pause(backOff(timings, failures), stopping.signal);
    }
  }
  const kept = keep();
  const submit = submitter(() => session, timings);
  return {
    bound: () => session === null ? whenBound.promise : Promise.resolve(),
    reaches: ({ to }) => Promise.resolve(/^\+?\d+$/.test(to)),
    send: (message, signal) => sendMessage(message, { submit, signal, receipts: options.receipts }),
    async stop() {
      stopping.abort();
      await session?.close();
      await kept;
    },
  };
}

const backOff = ({ pauseMs, pauseMaxMs }: SmppTimings, failures: number): number =>
  Math.min(pauseMs * 2 ** failures, pauseMaxMs) * (0.75 + Math.random() / 2);

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", done);
    resolve();
  };
  const timer = setTimeout(done, ms);
  signal.addEventListener("abort", done);
  if (signal.aborted) done();
  return promise;
}

type Submit = (fields: Record<string, unknown>, signal: AbortSignal) => Promise<Pdu>;

/** Sends submit_sm: a few at once, and none for a while when the message center has had enough. */
function submitter(current: () => SmppSession | null, timings: SmppTimings): Submit {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  let quietUntil = 0;

  async function enter(): Promise<void> {
    if (underWay < windowSize) underWay++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }
  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) underWay--;
    else next();
  }

  return async (fields, signal) => {
    await enter();
    try {
      for (let tries = 0;; tries++) {
        await pause(Math.max(0, quietUntil - steadyNow()), signal);
        const session = current();
        if (session === null) throw new SmppLost("it is not bound", true);
        const answer = await session.request("submit_sm", fields);
        const isThrottled = answer.command_status === errors["ESME_RTHROTTLED"] ||
          answer.command_status === errors["ESME_RMSGQFUL"];
        if (!isThrottled || tries === throttledTries || signal.aborted) return answer;
        quietUntil = Math.max(quietUntil, steadyNow() + backOff(timings, tries));
      }
    } finally {
      leave();
    }
  };
}

async function sendMessage(
  message: Message,
  { submit, signal, receipts }: { submit: Submit; signal: AbortSignal; receipts: boolean },
): Promise<Delivery> {
  // The same when it is sent again, so that parts of two attempts fit.
  const segments = segmentsOf(message.body, parseInt(message.sid.slice(-2), 16));
  let id: string | undefined;
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1;
    const fields = fieldsOf(message, segment, receipts && isLast);
    id = await submitOne(() => submit(fields, signal), at === 0);
  }
  return receipts && id ? { carrierId: carrierIdOf(id) } : {};
}

/** The id that a text is taken under. */
async function submitOne(submit: () => Promise<Pdu>, isFirst: boolean): Promise<string> {
  let answer: Pdu;
  try {
    answer = await submit();
  } catch (error) {
    const isUnsent = error instanceof SmppLost && error.isUnsent && isFirst;
    throw isUnsent ? new Undelivered(error.message, { cause: error }) : error;
  }
  const status = answer.command_status;
  if (status === 0) return answer.message_id ?? "";
  const why = `the message center answered ${statusName(status)}`;
  if (final.has(status)) throw new Fault("messageRefused", why);
  throw isFirst ? new Undelivered(why) : new Error(why);
}

/** Errors that another attempt would get too: about the text or its addresses (§5.1.3). */
const final = new Set([
  "ESME_RINVMSGLEN",
  "ESME_RINVSRCADR",
  "ESME_RINVDSTADR",
  "ESME_RINVSRCTON",
  "ESME_RINVSRCNPI",
  "ESME_RINVDSTTON",
  "ESME_RINVDSTNPI",
  "ESME_RINVESMCLASS",
  "ESME_RX_R_APPN",
].map((name) => errors[name]));

/** The id of a message at its carrier as the store keeps it, short enough for a key. */
export const carrierIdOf = (id: string): string =>
  `smpp ${id.toLowerCase()}`.slice(0, limits.carrierIdLength);

const fieldsOf = ({ from, to }: Message, segment: Segment, wantsReceipt: boolean) => ({
  ...address("source", from),
  ...address("dest", to),
  destination_addr: to.replace(/^\+/, ""),
  registered_delivery: wantsReceipt ? 1 : 0,
  ...segment,
});

/** International numbers, short codes and names (SMPP 3.4 §5.2.5). */
function address(end: "source" | "dest", text: string): Record<string, unknown> {
  const bare = text.replace(/^client:/, "").replace(/^\+/, "");
  const [ton, npi] = text.startsWith("+") ? [1, 1] : /^\d+$/.test(bare) ? [3, 0] : [5, 0];
  const name = end === "source" ? { source_addr: bare.slice(0, ton === 5 ? 11 : 20) } : {};
  return { ...name, [`${end}_addr_ton`]: ton, [`${end}_addr_npi`]: npi };
}
