import { z } from "zod";
import type { AnyResource } from "../../../core/model/resource.ts";
import { pascal } from "../../../core/base/wire.ts";
import { titleOf } from "./form.tsx";

/** The filters of a list as a form, by its declaration, with the values that were sent. */
export function Filters({ definition, to, sent }: {
  definition: AnyResource;
  to: string;
  sent: URLSearchParams;
}) {
  const { filters = {}, fields, period } = definition;
  const names = Object.keys(filters);
  if (names.length === 0 && period === undefined) return null;
  const isUsed = [...names.map(pascal), "StartTime", "EndTime"].some((name) => sent.has(name));
  return (
    <details class="filters" open={isUsed}>
      <summary>Filter</summary>
      <form action={to} class="filter-row">
        {names.map((field) => (
          <div>
            <label for={`q-${field}`}>{titleOf(pascal(field))}</label>
            <Filter field={field} schema={fields[field]} value={sent.get(pascal(field)) ?? ""} />
          </div>
        ))}
        {period && ["StartTime", "EndTime"].map((name) => (
          <div>
            <label for={`q-${name}`}>{name === "StartTime" ? "From day" : "To day"}</label>
            <input
              id={`q-${name}`}
              name={name}
              type="date"
              value={sent.get(name)?.slice(0, 10) ?? ""}
            />
          </div>
        ))}
        <div class="filter-go">
          <button type="submit" class="main">Show</button>
          {isUsed && <a href={to}>Clear</a>}
        </div>
      </form>
    </details>
  );
}

/** A choice where a field has words of its own, else a text. */
function Filter({ field, schema, value }: { field: string; schema: unknown; value: string }) {
  const [id, name] = [`q-${field}`, pascal(field)];
  const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  if (inner instanceof z.ZodEnum) {
    return (
      <select id={id} name={name}>
        <option value="">any</option>
        {inner.options.map((one) => (
          <option value={String(one)} selected={one === value}>
            {String(one).replaceAll(/(?<=[a-z])-(?=[a-z])/g, " ")}
          </option>
        ))}
      </select>
    );
  }
  return <input id={id} name={name} value={value} autocomplete="off" spellcheck={false} />;
}

/**
 * The query of a list: the browser's parameters, without empty values. One day alone is
 * that day or later, or that day or earlier. Days of records that may have no start, such as calls
 * that failed before, are those of their creation.
 */
export function listQuery(
  sent: URLSearchParams,
  pageSize: number,
  { filtersCreation }: Pick<AnyResource, "filtersCreation">,
): URLSearchParams {
  const query = new URLSearchParams({ PageSize: String(pageSize) });
  const isRange = Boolean(sent.get("StartTime") && sent.get("EndTime"));
  for (const [name, value] of sent) {
    if (value === "" || name === "PageSize" || name === "done") continue;
    const isDate = /^\d{4}-\d\d-\d\d$/.test(value);
    const isDay = isDate && !isRange;
    if (isDate && filtersCreation && name === "StartTime") query.append("DateCreated>", value);
    else if (isDate && filtersCreation && name === "EndTime") {
      query.append("DateCreated<", `${value}T23:59:59.999Z`);
    } else if (isDay && name === "StartTime") query.append("StartTime>", value);
    else if (isDay && name === "EndTime") query.append("EndTime<", value);
    else query.append(name, value);
  }
  return query;
}
