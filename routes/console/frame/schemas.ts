import { openApiDocument } from "../../../core/openapi/document.ts";
import type { JsonSchema } from "../../../core/openapi/schemas.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";

/** The schemas of the interface by name, `ClientCreate` for instance; made at the first use. */
export function schemasOf({ settings }: Pick<Ports, "settings">): (name: string) => JsonSchema {
  let schemas: Record<string, JsonSchema> | undefined;
  return (name) => {
    // The document has an object of schemas among its components.
    schemas ??= openApiDocument(settings).components.schemas as Record<string, JsonSchema>;
    const found = schemas[name];
    if (found === undefined) throw new Error(`Cannot find the schema ${name}`);
    return found;
  };
}
