import type { AnyResource } from "../../core/model/resource.ts";
import { keys } from "../store/keys.ts";
import { layoutName, layoutOf } from "./layout.ts";

/** The key shapes that this code reads and writes (`keys.ts`). */
const schemaVersion = 4;

/** The description that a store holds of itself, by resource. */
interface Schema {
  version: number;
  /** The entries beside the records. */
  layouts: Record<string, string>;
  /** The order in which records hold their fields: a new field comes last. */
  fields: Record<string, string[]>;
}

const base = ["sid", "accountSid", "dateCreated", "dateUpdated"];

/**
 * Writes the layout to a new store; returns the order in which records hold their fields, by
 * resource. Throws for a store of another layout: with other keys, or with indexes that do not
 * cover its records.
 */
export async function checkSchema(
  kv: Deno.Kv,
  resources: Record<string, AnyResource>,
): Promise<Record<string, string[]>> {
  while (true) {
    const entry = await kv.get<Schema | number>(keys.version);
    const restoring = await kv.get(keys.restoring);
    if (restoring.versionstamp !== null) {
      throw new Error(
        "Cannot open the store: a restore into it is under way or was cut off. After a cut, begin " +
          "it again by deno task restore --again FILE",
      );
    }
    const schema = extended(entry.value, resources);
    // Another instance may open the store at the same time, or a restore begin.
    const { ok } = await kv.atomic().check(entry, restoring).set(entry.key, schema).commit();
    if (ok) return schema.fields;
  }
}

/** The description of a store, extended by the fields of this program. */
function extended(found: Schema | number | null, resources: Record<string, AnyResource>): Schema {
  const version = typeof found === "number" ? found : found?.version ?? schemaVersion;
  if (version !== schemaVersion) {
    throw new Error(
      `Cannot open the store: its layout is version ${version}, this program's is ${schemaVersion}`,
    );
  }
  const before = found as Schema | null;
  const [layouts, fields] = [{ ...before?.layouts }, { ...before?.fields }];
  for (const [name, definition] of Object.entries(resources)) {
    const layout = layoutName(layoutOf(definition));
    layouts[name] ??= layout;
    if (layouts[name] !== layout) {
      throw new Error(
        `Cannot open the store: its ${name} are indexed as "${layouts[name]}", ` +
          `this program indexes them as "${layout}"`,
      );
    }
    fields[name] = [
      ...new Set([...fields[name] ?? [], ...base, ...Object.keys(definition.fields)]),
    ];
  }
  return { version, layouts, fields };
}
