import { subtree } from "../accounts/walk.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { UsageTrigger } from "../model/resources/internal/usage_triggers.ts";
import { money } from "./summarize.ts";

const dayMs = 86_400_000;

/** Begin of a trigger's period, in ms; days, months and years are those of UTC. */
export function periodStart({ recurring }: Pick<UsageTrigger, "recurring">, now: number): number {
  const at = new Date(now);
  switch (recurring) {
    case "daily":
      return now - now % dayMs;
    case "monthly":
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
    case "yearly":
      return Date.UTC(at.getUTCFullYear(), 0);
    case "alltime":
      return 0;
  }
}

/** Value that a trigger watches, summed over its period: of the account and those below it. */
export async function triggerValue(
  trigger: Pick<UsageTrigger, "accountSid" | "usageCategory" | "triggerBy" | "recurring">,
  ports: Pick<Ports, "accounts" | "ledger" | "now">,
): Promise<string> {
  const { accountSid, usageCategory, triggerBy } = trigger;
  const now = ports.now();
  const span = { from: periodStart(trigger, now), before: now + 1 };
  let [count, usage, micros] = [0, 0, 0];
  for await (const sid of subtree(accountSid, ports.accounts)) {
    for (const { sums } of await ports.ledger.days(sid, span)) {
      for (const sum of sums) {
        if (usageCategory !== "totalprice" && sum.category !== usageCategory) continue;
        count += sum.count;
        usage += usageCategory === "totalprice" ? sum.count : sum.usage;
        micros += sum.priceMicros;
      }
    }
  }
  if (triggerBy === "price") return money(micros);
  return String(triggerBy === "count" ? count : usage);
}
