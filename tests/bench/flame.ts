/**
 * `deno run -A tests/bench/flame.ts PROFILE SVG`: draws a CPU profile of V8 as a flame graph, and
 * prints the share of each part of the program. The profile is a `.cpuprofile`, as Chromium's
 * DevTools save it when they are connected to a process by `--inspect`. Time counts for the nearest
 * function of ours; that of the inspector itself and idle time do not count.
 */

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
}

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

/** A function as it was called from its parents; `us` with all that it called. */
interface Frame {
  name: string;
  us: number;
  below: Map<string, Frame>;
}

const ours = /\/((?:core|kv|routes|sip)\/[^?]*|main\.ts)$/;
const placeOf = ({ callFrame: { url } }: ProfileNode): string | undefined =>
  url.includes("node_modules") ? undefined : ours.exec(url)?.[1];

const nameOf = (node: ProfileNode): string => {
  const { functionName, url } = node.callFrame;
  const place = placeOf(node) ?? url.split("/").slice(-2).join("/");
  return `${functionName || "(anonymous)"} ${place}`.trim();
};

/** The stacks of a profile, innermost last, each with its time in us. */
function* stacksOf({ nodes, samples, timeDeltas }: Profile) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  for (const [at, id] of samples.entries()) {
    const stack: ProfileNode[] = [];
    for (let next: number | undefined = id; next !== undefined; next = parents.get(next)) {
      stack.unshift(byId.get(next)!); // Samples and parents name nodes of the profile.
    }
    const isIdle = stack.at(-1)?.callFrame.functionName === "(idle)";
    const isWatched = stack.some(({ callFrame: { url, functionName } }) =>
      /inspector/i.test(url + functionName)
    );
    if (!isIdle && !isWatched) yield { stack: stack.slice(1), us: timeDeltas[at] ?? 0 };
  }
}

/** Name of a part of the program in the table. */
function partOf(stack: ProfileNode[]): string {
  const place = stack.map(placeOf).findLast((found) => found !== undefined);
  if (place !== undefined) return place.split("/").slice(0, 2).join("/");
  const all = stack.map(({ callFrame: { url, functionName } }) => `${url} ${functionName}`).join();
  if (all.includes("garbage collector")) return "garbage collector";
  if (all.includes("_http_client")) return "node:http, requests that leave";
  if (/_http_|http_parser/.test(all)) return "node:http, requests that come";
  if (/node_modules/.test(all)) return "packages";
  return "the runtime besides";
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

function draw(root: Frame): string {
  const [width, row, shown] = [1_200, 16, 1.5];
  let deepest = 0;
  const boxes: string[] = [];
  const box = ({ name, us, below }: Frame, x: number, depth: number): void => {
    const wide = us / root.us * width;
    if (wide < shown) return;
    deepest = Math.max(deepest, depth);
    const hue = name.includes(".ts") && !name.includes("ext:") ? 28 : 210;
    const letters = Math.floor(wide / 6.2) - 1;
    const label = letters < 3
      ? ""
      : `<text x="${(x + 2).toFixed(1)}" y="${depth * row + 12}">${
        escaped(name.slice(0, letters))
      }</text>`;
    boxes.push(
      `<g><title>${escaped(name)}: ${(100 * us / root.us).toFixed(1)} %</title>` +
        `<rect x="${x.toFixed(1)}" y="${depth * row}" width="${wide.toFixed(1)}" height="${
          row - 1
        }" ` +
        `fill="hsl(${hue} 70% 78%)"/>${label}</g>`,
    );
    let at = x;
    for (const child of [...below.values()].sort((a, b) => b.us - a.us)) {
      box(child, at, depth + 1);
      at += child.us / root.us * width;
    }
  };
  box(root, 0, 0);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${(deepest + 1) * row}" ` +
    `font-family="monospace" font-size="10">${boxes.join("\n")}</svg>\n`;
}

const [from = "", to = ""] = Deno.args;
const profile: Profile = JSON.parse(await Deno.readTextFile(from));
const root: Frame = { name: "all", us: 0, below: new Map() };
const parts = new Map<string, number>();
for (const { stack, us } of stacksOf(profile)) {
  root.us += us;
  let frame = root;
  for (const node of stack) {
    const name = nameOf(node);
    const next = frame.below.get(name) ?? { name, us: 0, below: new Map() };
    frame.below.set(name, next);
    next.us += us;
    frame = next;
  }
  const part = partOf(stack);
  parts.set(part, (parts.get(part) ?? 0) + us);
}
await Deno.writeTextFile(to, draw(root));
for (const [part, us] of [...parts].sort(([, a], [, b]) => b - a)) {
  const line = `${(100 * us / root.us).toFixed(1).padStart(5)} %  ${part}\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
}
