import { type AnyRecord, type AnyResource, withDefaults } from "../../core/model/resource.ts";

/** The schema of a field. */
interface FieldSchema {
  safeParse(value: unknown): { success: boolean };
  /** Of an enumeration. */
  options?: unknown[];
}

/**
 * Adds the fields that a record lacks, because it was written before they were declared. Each gets
 * its default, null if the field allows it, or else the emptiest value that its schema accepts.
 * Optional fields may be absent.
 */
export function completing(definition: AnyResource): (record: AnyRecord) => AnyRecord {
  const schemas = Object.entries(definition.fields) as [string, FieldSchema][];
  const required = schemas.filter(([, schema]) => !accepts(schema, undefined));
  const empty = Object.fromEntries(required.map(([field, schema]) => [field, emptiest(schema)]));
  return (record) => ({ ...empty, ...withDefaults(definition, record) }) as AnyRecord;
}

function emptiest(schema: FieldSchema): unknown {
  const options = schema.options ?? [];
  const values: unknown[] = [null, "", 0, false, [], {}, ...options];
  return values.find((value) => accepts(schema, value)) ?? null;
}

const accepts = (schema: FieldSchema, value: unknown): boolean => schema.safeParse(value).success;
