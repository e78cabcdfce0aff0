/**
 * Calls of test accounts. Tests of an application need calls that end as they order, with every
 * request and callback of a real one, and neither phone nor carrier. A leg is an internal record
 * with its script and position. A job performs it and passes its events to `handleReport`, so that
 * statuses, callbacks and Notifications are made by the code of all calls. Refused: a made-up
 * record as the answer, as with Twilio's test credentials (no document is requested, no callback
 * sent); a companion that simulates phones (tests need another process, and its calls are lost with
 * it).
 *
 * Each act is committed and its reports are numbered, so a run after a kill repeats at most one.
 * Accounts below a test account are test accounts, so no number, Gateway or registration of a real
 * account takes part. A sped-up call has the times that a call in real time would have; its
 * `EndTime` may be ahead of the clock. A script of more than 30,000 characters is not performed: a
 * value of the store has 64 KiB.
 */
import type { Companion } from "../../protocol/companion.ts";
import type { ConferenceOrder } from "../../protocol/companion.ts";
import type { CompanionControl } from "../../model/ports/companion_ports.ts";
import type { Ports } from "../../model/ports/ports.ts";
import { interrupted, legTime, simulated, waitedEnough } from "./leg.ts";
import { orderLeg } from "./orders.ts";
import { recordSimulated } from "./recordings.ts";

const isSimulated = (at: Pick<Companion, "id"> | null | undefined): boolean =>
  at?.id === simulated.id;

/** Ports whose orders to legs of test accounts reach their jobs, and no companion. */
export function withSimulation(ports: Ports): Ports {
  return { ...ports, control: simulatedControl(ports) };
}

function simulatedControl(ports: Ports): CompanionControl {
  const { control, records } = ports;
  const { simulatedLegs: legs } = records;

  async function conference({ conferenceSid, order }: ConferenceOrder): Promise<boolean> {
    const inside = await legs.group("conference", conferenceSid);
    const isForAll = order.type === "end" || order.type === "announce" && order.leg === undefined;
    const named = isForAll ? inside : inside.filter(({ callSid }) => callSid === order.leg);
    if (order.type === "remove" || order.type === "end") {
      for (const leg of named) {
        await orderLeg(leg, (one) => waitedEnough(one, legTime(one, ports)), ports);
      }
    }
    return named.length > 0;
  }

  const { invalidate, gatewaysChanged, bindings, message, notification, sendOut, ready } = control;
  return { // Each one is named: a new one has to say what it does with simulated legs.
    invalidate,
    gatewaysChanged,
    bindings,
    message,
    notification,
    sendOut,
    ready,
    async run(callSid, script, options = {}) {
      const { at } = options;
      if (at !== null && at !== undefined && !isSimulated(at)) {
        return await control.run(callSid, script, options);
      }
      const leg = await legs.holder("callSid", callSid);
      if (leg === null) return isSimulated(at) ? null : await control.run(callSid, script, options);
      await orderLeg(leg, (one) => interrupted(one, script, legTime(one, ports)), ports);
      return simulated;
    },
    mute: async (leg, muted, at) => isSimulated(at) || await control.mute(leg, muted, at),
    conference: (order, at) => isSimulated(at) ? conference(order) : control.conference(order, at),
    recording: (request, at) =>
      isSimulated(at) ? recordSimulated(request, ports) : control.recording(request, at),
    stream: async (request, at) => !isSimulated(at) && await control.stream(request, at),
    levels: async (request, at) => isSimulated(at) ? [] : await control.levels(request, at),
    look: async (at) => isSimulated(at) ? "there" : await control.look(at),
  };
}
