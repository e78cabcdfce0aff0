import { limits } from "../base/limits.ts";
import type { Json, Service } from "./service.ts";
import type { Row } from "./table.ts";

/** Kind, layout and size of the store, and its records by resource. */
export async function showStore(service: Service): Promise<Row[]> {
  const { records, building, ...facts } = await service.get<
    Json & { records: { name: string; count: number }[]; building: string[] }
  >("Supervisor.json/store");
  return [
    ...Object.entries(facts).map(([name, value]) => ({ name, value })),
    { name: "indexes under construction", value: building.join(", ") },
    ...records.map(({ name, count }) => ({ name, value: count })),
  ];
}

interface Part {
  read: number;
  added: number;
  refused: number;
  problems: string[];
}

/**
 * Loads phone numbers from a CSV file into the inventory of a running service, piece by piece. An import
 * may be repeated and resumed: a number of the inventory is replaced.
 */
export async function importNumbers(service: Service, file: string): Promise<Row[]> {
  const text = await Deno.readTextFile(file).catch((error) => {
    throw new Error(`Cannot read ${file}: ${error.message}`);
  });
  const sum: Part = { read: 0, added: 0, refused: 0, problems: [] };
  for (const { numbers, skipped } of piecesOf(text.split(/\r?\n/))) {
    const part = await service.post<Part>("Supervisor.json/numbers", { Numbers: numbers });
    sum.read += part.read;
    sum.added += part.added;
    sum.refused += part.refused;
    const inFile = (_: string, line: string) => `line ${Number(line) + skipped}`;
    sum.problems.push(...part.problems.map((one) => one.replace(/^line (\d+)/, inFile)));
  }
  if (sum.refused > 0) Deno.exitCode = 1;
  const { problems, ...counts } = sum;
  return [
    ...Object.entries(counts).map(([name, value]) => ({ name, value })),
    ...problems.map((value) => ({ name: "left out", value })),
  ];
}

interface Piece {
  /** The line of column names, and lines of numbers: as many as one parameter holds. */
  numbers: string;
  /** Lines of the file that earlier pieces hold, by which numbers of lines in errors are corrected. */
  skipped: number;
}

function* piecesOf([header = "", ...lines]: string[]): Generator<Piece> {
  let piece = header;
  let skipped = 0;
  for (const [at, line] of lines.entries()) {
    if (piece.length + line.length + 1 > limits.parameterLength && piece !== header) {
      yield { numbers: piece, skipped };
      piece = header;
      skipped = at;
    }
    piece += `\n${line}`;
  }
  yield { numbers: piece, skipped };
}
