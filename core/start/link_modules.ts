/** A module as it was written: what it takes from others, and what it declares. */
interface Module {
  text: string;
  /** What it imports, by the name it goes by here. */
  imports: { name: string; local: string; from: string }[];
  /** Modules whose exports are its own too. */
  passedOn: string[];
  /** Its modules in the order of the statements that name them. */
  others: string[];
  declared: string[];
  exported: string[];
}

const importing = /^import (?:\{([^}]*)\}|\* as (\w+)) from "([^"]+)";$/gm;
const passingOn = /^export \* from "([^"]+)";$/gm;
const declaring = /^(export )?(?:async )?(?:class|function\*?|const|let|var) ([\w$]+)/gm;
const namespace = "*";

/**
 * One ES module of a tree of them, for a page that would have to ask for each: their texts one after
 * the other in the order in which they would be evaluated, in one scope. It knows the statements that
 * the TypeScript compiler writes, and throws at others. `read` gives the text at an address; the
 * result exports what the modules of `entries` do.
 */
export async function linkModules(
  entries: URL[],
  read: (address: URL) => Promise<string>,
): Promise<string> {
  const modules = new Map<string, Module>();
  const load = async (address: string): Promise<void> => {
    if (modules.has(address)) return;
    const module: Module = empty();
    modules.set(address, module);
    Object.assign(module, parse(await read(new URL(address)), address));
    await Promise.all(module.others.map(load));
  };
  await Promise.all(entries.map(({ href }) => load(href)));
  const order = evaluationOrder(entries, modules);
  const names = globalNames(order, modules);
  const globals = (address: string, name: string): string => {
    const found = find(name, address, modules);
    if (found === undefined) throw new Error(`Cannot link ${address}: it has no "${name}"`);
    return names.get(found)!.get(name)!;
  };
  const parts = order.map((address) => written(address, modules, { names, globals }));
  const exports = entries.flatMap(({ href }) =>
    exportsOf(href, modules).map((name) => {
      const own = globals(href, name);
      return own === name ? name : `${own} as ${name}`;
    })
  );
  return `${parts.join("\n")}\nexport { ${exports.join(", ")} };\n`;
}

const empty = (): Module => ({
  text: "",
  imports: [],
  passedOn: [],
  others: [],
  declared: [],
  exported: [],
});

function parse(source: string, address: string): Module {
  const module = empty();
  const resolve = (from: string) => new URL(from, address).href;
  const found: { at: number; from: string }[] = [];
  let text = source.replace(importing, (_, braces, all, from, at) => {
    found.push({ at, from: resolve(from) });
    for (const item of all === undefined ? (braces as string).split(",") : [`* as ${all}`]) {
      const [name = "", local = name] = item.trim().split(" as ");
      if (name !== "") module.imports.push({ name, local, from: resolve(from) });
    }
    return "";
  });
  text = text.replace(passingOn, (_, from, at) => {
    // Where statements of both kinds stand, those of the second come after those of the first.
    found.push({ at: source.length + at, from: resolve(from) });
    module.passedOn.push(resolve(from));
    return "";
  });
  for (const [, isExported, name] of text.matchAll(declaring)) {
    module.declared.push(name!);
    if (isExported) module.exported.push(name!);
  }
  text = text.replace(/^export \{\};$/gm, "").replace(
    /^export (?=(?:async )?(?:class|function|const|let|var)\b)/gm,
    "",
  );
  const unknown = /^(?:import|export)\b.*/m.exec(text)?.[0];
  if (unknown !== undefined) throw new Error(`Cannot link ${address}: it says ${unknown}`);
  module.others = found.sort((a, b) => a.at - b.at).map(({ from }) => from);
  return Object.assign(module, { text: withoutComments(text) });
}

/** Most of what a library for developers weighs; only blocks that begin their line. */
const withoutComments = (text: string): string => text.replace(/^\s*\/\*[^]*?\*\/$\n?/gm, "");

/** Each after those that it imports, as far as cycles allow (ECMA-262 §16.2.1.5.3). */
function evaluationOrder(entries: URL[], modules: Map<string, Module>): string[] {
  const [order, seen] = [[] as string[], new Set<string>()];
  const visit = (address: string) => {
    if (seen.has(address)) return;
    seen.add(address);
    modules.get(address)!.others.forEach(visit);
    order.push(address);
  };
  entries.forEach(({ href }) => visit(href));
  return order;
}

/** What each declared name is called where all are together: another, where it is taken. */
function globalNames(
  order: string[],
  modules: Map<string, Module>,
): Map<string, Map<string, string>> {
  const taken = new Set<string>();
  return new Map(order.map((address) => {
    const own = modules.get(address)!.declared.map((name) => {
      let unique = name;
      for (let n = 1; taken.has(unique); n++) unique = `${name}$${n}`;
      taken.add(unique);
      return [name, unique] as const;
    });
    return [address, new Map(own)];
  }));
}

/** The module that declares what another exports by a name. */
function find(
  name: string,
  address: string,
  modules: Map<string, Module>,
  seen = new Set<string>(),
): string | undefined {
  if (seen.has(address)) return undefined;
  seen.add(address);
  const { exported, passedOn } = modules.get(address)!;
  if (exported.includes(name)) return address;
  for (const other of passedOn) {
    const found = find(name, other, modules, seen);
    if (found !== undefined) return found;
  }
}

function exportsOf(
  address: string,
  modules: Map<string, Module>,
  seen = new Set<string>(),
): string[] {
  if (seen.has(address)) return [];
  seen.add(address);
  const { exported, passedOn } = modules.get(address)!;
  return [...new Set([...exported, ...passedOn.flatMap((one) => exportsOf(one, modules, seen))])];
}

interface Names {
  names: Map<string, Map<string, string>>;
  globals(address: string, name: string): string;
}

/** A module's text with the names that all know. */
function written(
  address: string,
  modules: Map<string, Module>,
  { names, globals }: Names,
): string {
  const { text, imports } = modules.get(address)!;
  const renamed = new Map(names.get(address));
  const objects: string[] = [];
  for (const { name, local, from } of imports) {
    if (name !== namespace) renamed.set(local, globals(from, name));
    else {
      const members = exportsOf(from, modules).map((one) => `${one}: ${globals(from, one)}`);
      objects.push(`const ${local} = { ${members.join(", ")} };\n`);
    }
  }
  return objects.join("") + inNames(text, renamed);
}

/** A text with names changed, all at once: one may become what another was. */
function inNames(text: string, renamed: Map<string, string>): string {
  const changed = [...renamed].filter(([name, global]) => name !== global).map(([name]) => name);
  if (changed.length === 0) return text;
  const any = changed.map((name) => name.replaceAll("$", "\\$")).join("|");
  return text.replace(
    new RegExp(`(?<![\\w$.])(?:${any})(?![\\w$])`, "g"),
    (name) => renamed.get(name)!,
  );
}
