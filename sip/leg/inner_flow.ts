import type { NumberTarget } from "../../core/protocol/trunks.ts";
import { createFlow, type Endpoint, type Flow, type LocalName, type Wire } from "../base/flow.ts";
import { receive } from "./receive.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { contactUser } from "../transport/local_name.ts";

/** No address of a network, so no peer there is ever taken for us. */
const inside: Endpoint = { host: "inside", port: 0 };

const numbers = new WeakMap<Flow, NumberTarget>();

/** The number that a flow was opened to; undefined of every flow that a peer could have opened. */
export const numberCalledBy = (flow: Flow): NumberTarget | undefined => numbers.get(flow);

/**
 * A flow to a number of this service, for one call: what is sent on it comes in again on another
 * flow that exists nowhere but here.
 */
export function openInnerFlow(signalling: Signalling, target: NumberTarget): Flow {
  const { domain } = signalling;
  const local: LocalName = { sentBy: domain, contact: `sip:${contactUser}@${domain}` };
  const wireTo = (other: () => Flow): Wire => ({
    // It stays within the process.
    protocol: "TLS",
    remote: inside,
    local,
    closed: false,
    send(text) {
      // In order, and never in the middle of what is being sent.
      queueMicrotask(() => receive(signalling, other(), text));
      return Promise.resolve();
    },
    close() {},
  });
  const out: Flow = createFlow(wireTo(() => back));
  const back: Flow = createFlow(wireTo(() => out));
  numbers.set(back, target);
  // The caller is authenticated already.
  back.logins.add(target.numberSid);
  return out;
}
