/**
 * The path that a request for an unknown path probably meant. Segments of the path are aligned with
 * those of each route: names are misspelt, parts such as `SMS` are missing or one too many, and the
 * version is another one. The routes are few and the path is bounded, so there is no index.
 */
import { editsBetween } from "../../core/base/near_names.ts";

/** A longer path gets no hint: the comparison costs about 0.5 ms for a path at these bounds. */
const mostSegments = 10;
const longestSegment = 48;

/** Differences between a path and a route, the likeliest first. */
const costs = {
  letterCase: 0.1,
  suffix: 0.5,
  /** For each letter. */
  edit: 1,
  missing: 2,
  /** `Messages` alone are texts, as at Twilio, and not those by e-mail. */
  missingSms: 1.9,
  surplus: 2,
  partOfName: 2.2,
  version: 2.6,
  most: 5,
};
/** Letters of a name for each edit that is taken for a slip, and the most edits. */
const lettersPerEdit = 3;
const mostEdits = 2;
/** A shorter name is a part of too many others. */
const shortestPart = 5;
/** Paths that are named where several are as near. */
const mostNamed = 2;

const isVersion = (text: string): boolean => /^(?:\d{4}-\d{1,2}-\d{1,2}|v\d{1,2})$/i.test(text);
const isParameter = (segment: string): boolean => segment.startsWith(":");
/** A Sid, number, day, e-mail address or country; a word in its place is the name of a resource. */
const isValue = (text: string): boolean => /[\d@]/.test(text) || text.length === 2;

/**
 * Names the paths nearest to an unknown one, as a question; "" where none is near. `templates` are
 * paths of routes with `:parameter` in place of Sids.
 */
export function nearPaths(templates: Iterable<string>): (path: string) => string {
  const routes = [...new Set(templates)].filter((path) => !path.includes("*"))
    .map((path) => path.split("/").slice(1));
  return (path) => {
    const asked = path.split("/").filter((segment) => segment !== "");
    if (asked.length === 0 || asked.length > mostSegments) return "";
    if (asked.some((segment) => segment.length > longestSegment)) return "";
    const costOf = segmentCosts(asked);
    let best = { cost: costs.most, routes: [] as string[][] };
    for (const route of routes) {
      if (Math.abs(route.length - asked.length) * costs.missingSms > best.cost) continue;
      const cost = leastCost(asked, route, { costOf, most: best.cost });
      if (cost > best.cost) continue;
      best = { cost, routes: cost < best.cost ? [route] : [...best.routes, route] };
    }
    const paths = best.routes.map((route) => aligned(asked, route, costOf).path);
    const names = [...new Set(paths.map((found) => shortened(found, asked)))];
    return names.length === 0 ? "" : `Did you mean ${names.slice(0, mostNamed).join(" or ")}?`;
  };
}

/** The path below the account of the request. */
function shortened(found: string, asked: string[]): string {
  const account = `/${asked.slice(0, 3).join("/")}/`;
  return asked[1] === "Accounts" && found.startsWith(account) ? found.slice(account.length) : found;
}

/** The cost of a name in place of the segment at an index of the path. */
type SegmentCost = (at: number, name: string) => number;

/** Compares each segment with each name once. */
function segmentCosts(asked: string[]): SegmentCost {
  const known = asked.map(() => new Map<string, number>());
  return (at, name) => {
    const ofSegment = known[at]!; // There is one for each segment.
    const cost = ofSegment.get(name) ?? costOfName(asked[at]!, name); // There are as many.
    ofSegment.set(name, cost);
    return cost;
  };
}

function costOfName(asked: string, name: string): number {
  if (asked === name) return 0;
  const plain = asked.replace(/\.[A-Za-z]{2,5}$/, "");
  const suffix = plain === asked ? 0 : costs.suffix;
  const [one, other] = [plain.toLowerCase(), name.toLowerCase()];
  if (one === other) return suffix + (plain === name ? 0 : costs.letterCase);
  const most = Math.min(mostEdits, Math.floor(plain.length / lettersPerEdit));
  const edits = Math.abs(one.length - other.length) > most ? Infinity : editsBetween(one, other);
  if (edits <= most) return suffix + edits * costs.edit;
  if (isVersion(plain) && isVersion(name)) return costs.version;
  const isPart = one.length >= shortestPart && (other.endsWith(one) || other.startsWith(one));
  return isPart ? suffix + costs.partOfName : Infinity;
}

interface Alignment {
  cost: number;
  path: string;
}

/**
 * The cost of the cheapest way from a path to a route, as `aligned` finds it; at once where it is
 * over `most`.
 */
function leastCost(
  asked: string[],
  route: string[],
  { costOf, most }: { costOf: SegmentCost; most: number },
): number {
  let before = [0];
  for (const [column, name] of route.entries()) before.push(before[column]! + missingCost(name)); // As long.
  for (const [at, segment] of asked.entries()) {
    const surplus = at === asked.length - 1 ? Infinity : costs.surplus;
    const row = [before[0]! + surplus]; // It has one entry at least.
    let least = row[0]!; // It has one entry.
    for (const [column, name] of route.entries()) {
      const same = isParameter(name) ? isValue(segment) ? 0 : Infinity : costOf(at, name);
      const cost = Math.min( // The rows have an entry more than the route.
        before[column]! + same,
        before[column + 1]! + surplus,
        row[column]! + missingCost(name),
      );
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return Infinity;
    before = row;
  }
  return before.at(-1)!; // A row has one entry at least.
}

/**
 * The cheapest way from a path to a route (an edit distance over segments). The last segment is never
 * surplus: a path below a record would always be near the record.
 */
function aligned(asked: string[], route: string[], costOf: SegmentCost): Alignment {
  let before: Alignment[] = [{ cost: 0, path: "" }];
  for (const name of route) before.push(plus(before.at(-1)!, missingCost(name), `/${name}`));
  for (const [at, segment] of asked.entries()) {
    const isLast = at === asked.length - 1;
    const row = [plus(before[0]!, isLast ? Infinity : costs.surplus, "")]; // It has one entry at least.
    for (const [column, name] of route.entries()) {
      const same = isParameter(name) ? isValue(segment) ? 0 : Infinity : costOf(at, name);
      const ways = [ // The rows have an entry more than the route.
        plus(before[column]!, same, `/${isParameter(name) ? segment : name}`),
        plus(before[column + 1]!, isLast ? Infinity : costs.surplus, ""),
        plus(row[column]!, missingCost(name), `/${name}`),
      ];
      row.push(ways.reduce((best, way) => way.cost < best.cost ? way : best));
    }
    before = row;
  }
  return before.at(-1)!; // A row has one entry at least.
}

function missingCost(name: string): number {
  if (isParameter(name)) return Infinity;
  return name === "SMS" ? costs.missingSms : costs.missing;
}

const plus = ({ cost, path }: Alignment, more: number, segment: string): Alignment => ({
  cost: cost + more,
  path: cost + more > costs.most ? "" : path + segment,
});
