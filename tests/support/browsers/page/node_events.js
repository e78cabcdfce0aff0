import events from "npm:events@3.3.0";

/** JsSIP requires "events"; its own dependency answers where the bundler leaves a Node name. */
globalThis.require = (name) => {
  if (name === "node:events") return events;
  throw new Error(`Cannot require "${name}" in a page`);
};
