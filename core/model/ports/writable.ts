import { Fault } from "../../base/faults.ts";
import type { Ports } from "./ports.ts";

/**
 * Throws `unavailable` while the store cannot write. It is called before an effect outside whose
 * commit could not be made, so that the requester repeats the effect.
 */
export function refuseWhileUnwritable({ store }: Pick<Ports, "store">): void {
  const failure = store.failure();
  if (failure !== null) {
    throw new Fault("unavailable", `the store cannot write: ${failure.reason}`);
  }
}
