import { z } from "zod";
import { names } from "../../../core/machine/net/names.ts";
import { mediaLimits } from "../base/limits.ts";

/** Where an rtpengine takes orders, its `--listen-ng`. */
export interface NgAddress {
  host: string;
  port: number;
}

/** rtpengine refused an order; the message has its reason. */
export class NgRefusal extends Error {
  override readonly name = "NgRefusal";
}

/** rtpengine said nothing, however often it was asked. */
export class NgUnanswered extends Error {
  override readonly name = "NgUnanswered";
}

const stream = z.looseObject({
  "crypto suite": z.string().optional(),
  flags: z.array(z.string()).default([]),
  /** Of packets that came in, those that it could make nothing of. */
  stats: z.object({ errors: z.number() }).default({ errors: 0 }),
});
const tag = z.object({ medias: z.array(z.object({ streams: z.array(stream) })) });

const answerSchema = z.object({
  result: z.string(),
  "error-reason": z.string().optional(),
  message: z.string().optional(),
  /** The description for the other side, of `offer` and `answer`. */
  sdp: z.string().default(""),
  /** The ids of all calls, of `list`. */
  calls: z.array(z.string()).default([]),
  /** Both sides of a call, of `query`. */
  tags: z.record(z.string(), tag).default({}),
});

export type NgAnswer = z.output<typeof answerSchema>;

/**
 * Has an rtpengine perform a command of its NG protocol: a datagram of a cookie and JSON, which it
 * reads beside bencode. Lost datagrams are sent again, and performed once, as the cookie is the same.
 * Throws `NgRefusal`, `NgUnanswered`, or another Error when the answer is not understood.
 */
export async function askNg(
  address: NgAddress,
  command: string,
  args: Record<string, unknown> = {},
): Promise<NgAnswer> {
  const cookie = crypto.randomUUID();
  const request = `${cookie} ${JSON.stringify({ command, ...args })}`;
  const text = await exchange(address, new TextEncoder().encode(request), `${cookie} `);
  const name = nameOf(address);
  if (text === undefined) {
    throw new NgUnanswered(`rtpengine at ${name} does not answer to "${command}"`);
  }
  const parsed = answerSchema.safeParse(readJson(text));
  if (!parsed.success) throw new Error(`rtpengine at ${name} answers what is not understood`);
  const { result, message, "error-reason": reason } = parsed.data;
  if (result === "ok" || result === "pong") return parsed.data;
  throw new NgRefusal(
    `rtpengine at ${name} refuses "${command}": ${reason ?? message ?? result}`,
  );
}

const nameOf = ({ host, port }: NgAddress) => `${host.includes(":") ? `[${host}]` : host}:${port}`;

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Sends a request until what begins with its cookie comes back, and resolves with the rest of that;
 * with undefined when it never does. The socket is the request's own, so that none is left open.
 */
async function exchange(
  { host, port }: NgAddress,
  request: Uint8Array,
  cookie: string,
): Promise<string | undefined> {
  using socket = openSocket(host.includes(":") ? "::" : "0.0.0.0");
  const waits: number[] = [...mediaLimits.ngWaitsMs];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = () => {
    const waitMs = waits.shift();
    if (waitMs === undefined) return socket.close();
    // A name that is not found, or a network that is down, may be there for the next try.
    sendTo(socket.datagrams, request, { host, port }).catch(() => {});
    timer = setTimeout(send, waitMs);
  };
  send();
  try {
    const buffer = new Uint8Array(mediaLimits.ngAnswerBytes);
    for (;;) {
      const [bytes] = await socket.datagrams.receive(buffer);
      const text = new TextDecoder().decode(bytes);
      if (text.startsWith(cookie)) return text.slice(cookie.length);
    }
  } catch {
    return undefined; // Closed, as it was given up.
  } finally {
    clearTimeout(timer);
  }
}

async function sendTo(
  datagrams: Deno.DatagramConn,
  request: Uint8Array,
  { host, port }: NgAddress,
) {
  const [first] = await names.addressesOf(host);
  if (first === undefined) return;
  await datagrams.send(request, { transport: "udp", hostname: first.address, port });
}

function openSocket(hostname: string) {
  const datagrams = Deno.listenDatagram({ transport: "udp", hostname, port: 0 });
  let closed = false;
  const close = () => {
    if (!closed) datagrams.close();
    closed = true;
  };
  return { datagrams, close, [Symbol.dispose]: close };
}
