/**
 * The lint rule `switchboard/no-fixed-pause`: code waits for an event, not for a time that is long
 * enough on one machine and too short on another. It finds a promise that `setTimeout()` alone resolves,
 * and the usual functions for that. A timer that something may clear sooner is a deadline, and one of
 * 0 ms a turn of the event loop: neither is a pause.
 */

/** Files that may pause, each with why no event can be awaited there. */
export const pausing: Record<string, string> = {
  "core/machine/adapters/smpp/deliver.ts":
    "A receipt may come before the answer that its message waits for",
  "core/admin/tail.ts": "A service that is gone is not asked again at once",
  "core/machine/net/acceptor.ts":
    "Node.js tells neither that it listens no more nor that it is stuck",
  "core/machine/net/http_server.ts":
    "Connections end by themselves; a shutdown looks until all have",
  "core/machine/process/secret_file.ts": "Another process makes the file",
  "core/machine/start/start.ts": "A program that ended is not restarted at once",
  "core/openapi/typescript_client/runtime/send.ts": "A server asked for a pause by Retry-After",
  "kv/store/commit_retrying.ts": "Racing writers part by a random time",
  "kv/store/store_clock.ts": "Other services write when it is their time, if any runs",
  "tests/fixtures/stores/make.ts": "A former version is looked at from outside",
  "tests/kv/lists/pages_linear_test.ts":
    "Its writers are slow by a random time, so that they overlap",
  "tests/sip/calls/gather_rtp_test.ts": "A talker sends one frame each 20 ms",
  "tests/sip/hostile/reflection_test.ts":
    "Nothing may come for as long as Timer G would repeat a response",
  "tests/support/browsers/page/audio.js": "In the page: looks again and again, up to a deadline",
  "tests/support/process/eventually.ts":
    "Looks again and again for what tells of no event, up to a deadline",
};

/** Folders that may pause: a benchmark measures for some time, by a rate, and so does a soak. */
const pausingFolder = /(^|\/)tests\/(bench|soak)\//;

const message = "Cannot wait for a fixed time: wait for the event, or look by eventually()";

type Node = Deno.lint.Node;

const calls = (node: Node | null | undefined, name: string): node is Deno.lint.CallExpression =>
  node?.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === name;

/** The body of a function if that is one expression. */
function onlyExpression(body: Node): Node | undefined {
  if (body.type !== "BlockStatement") return body;
  const [first] = body.body;
  return body.body.length === 1 && first?.type === "ExpressionStatement"
    ? first.expression
    : undefined;
}

/** Returns whether an executor of a promise does nothing but set a timer of more than 0 ms. */
function isPause(executor: Node | undefined): boolean {
  if (
    executor?.type !== "ArrowFunctionExpression" && executor?.type !== "FunctionExpression" ||
    !executor.body
  ) return false;
  const timer = onlyExpression(executor.body);
  if (!calls(timer, "setTimeout")) return false;
  const ms = timer.arguments[1];
  return ms !== undefined && !(ms.type === "Literal" && ms.value === 0);
}

const pauseModules = ["node:timers/promises", "timers/promises", "@std/async", "@std/async/delay"];
const pauseFunctions = ["setTimeout", "delay"];
const pauseMethods = ["waitForTimeout"];

/** Returns whether a file may pause; a path ends with its name in the repository. */
const mayPause = (file: string) =>
  pausingFolder.test(file) || Object.keys(pausing).some((name) => file.endsWith(`/${name}`));

export default {
  name: "switchboard",
  rules: {
    "no-fixed-pause": {
      create(context) {
        if (mayPause(context.filename)) return {};
        const report = (node: Node) => context.report({ node, message });
        return {
          NewExpression(node) {
            const isPromise = node.callee.type === "Identifier" && node.callee.name === "Promise";
            if (isPromise && isPause(node.arguments[0])) report(node);
          },
          ImportDeclaration(node) {
            if (!pauseModules.includes(node.source.value)) return;
            for (const specifier of node.specifiers) {
              const name = specifier.type === "ImportSpecifier" &&
                specifier.imported.type === "Identifier" && specifier.imported.name;
              if (!name || pauseFunctions.includes(name)) report(specifier);
            }
          },
          MemberExpression(node) {
            const { property } = node;
            if (property.type === "Identifier" && pauseMethods.includes(property.name)) {
              report(node);
            }
          },
        };
      },
    },
  },
} satisfies Deno.lint.Plugin;
