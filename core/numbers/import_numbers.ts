/**
 * The import of an inventory of numbers. `deno task numbers` opens the store, so the service must be
 * stopped: an inventory is loaded seldom, and a way into the running service would be one more to secure.
 */
import { limits } from "../base/limits.ts";
import type { Stock } from "../model/ports/ports.ts";
import { cellsOf, linesOf } from "../model/values/csv.ts";
import {
  type Capabilities,
  type NumberOffer,
  type Place,
  usualCapabilities,
} from "../model/values/offer.ts";
import { type NumberKind, parseNumber } from "../model/values/phone_number.ts";

/** Result of an import. */
export interface Imported {
  /** Numbers read so far. */
  read: number;
  /** Of them, those that the inventory did not have before. */
  added: number;
  /** Reasons for which lines were left out; at most `limits.importProblems`. `refused` counts all. */
  problems: string[];
  refused: number;
}

const kinds: Record<string, NumberKind> = {
  local: "local",
  tollfree: "tollFree",
  mobile: "mobile",
};

/** The columns, by their names without case, spaces and signs. */
const places: Record<string, keyof Place> = {
  lata: "lata",
  ratecenter: "rateCenter",
  latitude: "latitude",
  longitude: "longitude",
  region: "region",
  postalcode: "postalCode",
};
const able: Record<string, keyof Capabilities> = {
  voice: "voiceCapable",
  sms: "smsCapable",
  mms: "mmsCapable",
  fax: "faxCapable",
};
const columns = ["phonenumber", "kind", ...Object.keys(places), ...Object.keys(able)];

/**
 * Loads numbers from CSV: a line of column names, PhoneNumber among them, then one number a line.
 * A number that the inventory has already is replaced, so an import may be repeated and resumed. Lines
 * without a valid number are skipped and listed in the result. Throws an Error when the column names
 * are wrong.
 */
export async function importNumbers(
  text: AsyncIterable<string>,
  stock: Pick<Stock, "put">,
  onProgress: (sofar: Imported) => void,
): Promise<Imported> {
  const imported: Imported = { read: 0, added: 0, problems: [], refused: 0 };
  let header: string[] | undefined;
  let group: NumberOffer[] = [];
  const flush = async () => {
    imported.added += await stock.put(group);
    imported.read += group.length;
    group = [];
    onProgress(imported);
  };
  let number = 0;
  for await (const line of linesOf(text)) {
    number++;
    if (line.trim() === "") continue;
    if (header === undefined) {
      header = headerOf(line);
      continue;
    }
    const offer = offerOf(header, cellsOf(line));
    if (typeof offer === "string") {
      imported.refused++;
      if (imported.problems.length < limits.importProblems) {
        imported.problems.push(`line ${number}: ${offer}`);
      }
    } else if (group.push(offer) === limits.importGroup) await flush();
  }
  if (header === undefined) throw new Error("Cannot import numbers: the file is empty");
  if (group.length > 0 || imported.read === 0) await flush();
  return imported;
}

function headerOf(line: string): string[] {
  const names = cellsOf(line.replace(/^\ufeff/, ""));
  const header = names.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ""));
  const unknown = names.filter((_, at) => !columns.includes(header[at] ?? ""));
  if (unknown.length > 0) {
    throw new Error(`Cannot import numbers: unknown column "${unknown.join('", "')}"`);
  }
  if (!header.includes("phonenumber")) {
    throw new Error("Cannot import numbers: the first line names no column PhoneNumber");
  }
  return header;
}

/** The offer of a line, or why it is none. */
function offerOf(header: string[], cells: string[]): NumberOffer | string {
  if (cells.length > header.length) return "there are more cells than columns";
  const row = new Map(header.map((name, at) => [name, cells[at] ?? ""]));
  const text = row.get("phonenumber") ?? "";
  const number = parseNumber(text);
  if (number === null) return `"${text}" is no possible number in E.164 form`;
  const kindText = row.get("kind") ?? "";
  const kind = kinds[kindText.toLowerCase().replaceAll(/[^a-z]/g, "")];
  if (kindText !== "" && kind === undefined) return `"${kindText}" is no kind of number`;
  const capabilities = { ...usualCapabilities };
  for (const [name, capability] of Object.entries(able)) {
    const value = row.get(name) ?? "";
    if (!/^(?:true|false|)$/i.test(value)) return `${name} must be true or false`;
    if (value !== "") capabilities[capability] = value.toLowerCase() === "true";
  }
  const place = Object.entries(places).map(([name, field]) => [field, row.get(name) || null]);
  return {
    ...Object.fromEntries(place),
    phoneNumber: number.phoneNumber,
    isoCountry: number.isoCountry,
    kinds: kind === undefined ? number.kinds : [kind],
    capabilities,
  };
}
