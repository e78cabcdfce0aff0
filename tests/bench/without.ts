import { patches } from "../../sip/stack/patches/patches.ts";

/**
 * To be preloaded by a companion: it runs the library's own code in place of the patches of the groups
 * that WITHOUT names, separated by commas.
 */
const without = new Set((Deno.env.get("WITHOUT") ?? "").split(","));
for (const { of, members, group } of patches) {
  if (without.has(group)) { for (const name of members) keep(of, name); }
}

/** Pins the present value of a property, whatever is assigned. */
function keep(of: object, name: string): void {
  const own = Reflect.get(of, name);
  Object.defineProperty(of, name, { get: () => own, set: () => {}, configurable: true });
}
