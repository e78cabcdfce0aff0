import { z } from "zod";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { importNumbers } from "../numbers/import_numbers.ts";
import type { Ports } from "../model/ports/ports.ts";

/** Parameters of a request that loads numbers. */
export const inventoryParams = z.object({
  numbers: z.string().min(1).max(limits.parameterLength).describe(
    "Phone numbers as CSV: a line of column names, PhoneNumber among them, then one number a line.",
  ),
});

/**
 * Loads numbers into the inventory of NUMBERS_PROVIDER=inventory, by the names of the wire. A number
 * that it has already is replaced. Throws where the column names are wrong.
 */
export async function importInventory(
  { numbers }: z.infer<typeof inventoryParams>,
  { stock }: Pick<Ports, "stock">,
): Promise<Record<string, unknown>> {
  try {
    const { read, added, refused, problems } = await importNumbers(of(numbers), stock, () => {});
    return { read, added, refused, problems };
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault("badParameter", `Numbers: ${(cause as Error).message}`, { cause });
  }
}

async function* of(text: string): AsyncGenerator<string> {
  yield text;
}
