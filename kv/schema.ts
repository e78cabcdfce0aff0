import type { AnyResource } from "../core/resource.ts";
import { keys } from "./keys.ts";
import { layoutName, layoutOf } from "./layout.ts";

/** The key shapes that this code reads and writes (`keys.ts`). */
const schemaVersion = 3;

/** What a store says of itself: its key shapes, and by resource what is kept beside the records. */
interface Schema {
  version: number;
  layouts: Record<string, string>;
}

/**
 * Claims a new store for this layout. Throws for one of another: with other keys, or with indexes
 * that do not cover the records that are in it.
 */
export async function checkSchema(
  kv: Deno.Kv,
  resources: Record<string, AnyResource>,
): Promise<void> {
  const { value } = await kv.get<Schema | number>(keys.version);
  const version = typeof value === "number" ? value : value?.version ?? schemaVersion;
  if (version !== schemaVersion) {
    throw new Error(
      `Cannot open the store: its layout is version ${version}, this program's is ${schemaVersion}`,
    );
  }
  const layouts = { ...(value as Schema | null)?.layouts };
  for (const [name, definition] of Object.entries(resources)) {
    const layout = layoutName(layoutOf(definition));
    layouts[name] ??= layout;
    if (layouts[name] !== layout) {
      throw new Error(
        `Cannot open the store: its ${name} are indexed as "${layouts[name]}", ` +
          `this program indexes them as "${layout}"`,
      );
    }
  }
  await kv.set(keys.version, { version: schemaVersion, layouts });
}
