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
