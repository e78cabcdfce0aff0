import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as library from "sip.js/lib/core/index.js";
import { applyPatches, patches } from "../../../sip/stack/patches/patches.ts";

/**
 * The classes that patches replace parts of, or whose private fields `sip/` reads, by the hash of their
 * source. When one differs, read what changed in the library, mend the patches, then put in the new hash.
 */
const known: Record<string, string> = {
  ClientTransaction: "a6ade2ec1a86a739",
  Dialog: "84c105901240a1ad",
  IncomingMessage: "d134d9433337bd7e",
  InviteClientTransaction: "d01c7506c1039b32",
  InviteServerTransaction: "7bc7a669b82ee670",
  InviteUserAgentServer: "ddd3cf7192a93f1e",
  NameAddrHeader: "7dd134574b4fdff7",
  NonInviteClientTransaction: "eb9246e752f31566",
  NonInviteServerTransaction: "c3f8653f82dee9bb",
  OutgoingRequestMessage: "9d15ba42e31c25f6",
  Parameters: "ee64954610dd9ea8",
  ServerTransaction: "26f69c30e427eb00",
  SessionDialog: "30461b30cd3fd2fc",
  Transaction: "bc43792631a4abaf",
  URI: "0300d48181c89b0b",
  UserAgentClient: "643a8b80e34ca7d4",
  UserAgentCore: "321a3624352a55d3",
  UserAgentServer: "d8f195b4b7558a30",
};

const hashOf = (source: string): string =>
  createHash("sha256").update(source).digest("hex").slice(0, 16);

const sourceHash = (name: string): string =>
  hashOf(String((library as unknown as Record<string, unknown>)[name]));

Deno.test("the classes of sip.js that patches touch are those that the patches were written for", () => {
  const found = Object.fromEntries(Object.keys(known).map((name) => [name, sourceHash(name)]));
  assert.deepEqual(found, known);
});

const classNames = Object.keys(library).filter((name) => /^[A-Z]/.test(name));

/** The name of the class of a patch, whether it is of the class or of its prototype. */
const classOf = (of: object): string | undefined =>
  classNames.find((name) => {
    const made = (library as unknown as Record<string, { prototype?: object }>)[name]!;
    return made === of || made.prototype === of;
  });

/** Whose members a class has: its own, and those of the classes of the library that it extends. */
function ancestry(name: string): string[] {
  const made = (library as unknown as Record<string, object>)[name]!;
  const parent = classOf(Object.getPrototypeOf(made));
  return parent === undefined ? [name] : [name, ...ancestry(parent)];
}

Deno.test("each class of a patch, and what it extends, has a hash that tells of a change", () => {
  const patched = patches.flatMap(({ of }) => ancestry(classOf(of) ?? "none"));
  assert.deepEqual(patched.filter((name) => !(name in known)), []);
});

Deno.test("every member that a patch replaces is one of the source that is hashed", () => {
  for (const { of, members } of patches) {
    const sources = ancestry(classOf(of)!).map((name) =>
      String((library as unknown as Record<string, unknown>)[name])
    );
    for (const member of members) {
      assert.ok(
        sources.some((source) => source.includes(`${member}(`)),
        `${member} is in no class that is hashed`,
      );
    }
  }
});

Deno.test("a patch of speed says what it saves, and one of a rule nothing", () => {
  const wrong = patches.filter(({ group, saves }) => (group === "rule") !== (saves === undefined));
  assert.deepEqual(wrong, []);
});

Deno.test("the hash of a class differs when a member of it changes", () => {
  const source = String(library.InviteClientTransaction);
  const changed = source.replace("dispose()", "dispose2()");
  assert.notEqual(changed, source);
  assert.notEqual(hashOf(changed), known.InviteClientTransaction);
});

/** Members of a class or its prototype, by what they are now. */
function members(of: object): Map<string, unknown> {
  const descriptors = Object.getOwnPropertyDescriptors(of) as Record<string, PropertyDescriptor>;
  return new Map(Object.entries(descriptors).map(([name, { value, get }]) => [name, value ?? get]));
}

const everyClass: object[] = Object.values(library as unknown as Record<string, unknown>)
  .filter((one) => typeof one === "function")
  .flatMap((one) => {
    const { prototype } = one as { prototype?: object };
    return prototype === undefined ? [one as object] : [one as object, prototype];
  });

Deno.test("applyPatches() replaces what the list names, and nothing else", () => {
  const before = new Map(everyClass.map((of) => [of, members(of)]));
  applyPatches();

  const listed = patches.flatMap(({ of, members }) => members.map((name) => ({ of, name })));
  const changed = everyClass.flatMap((of) =>
    [...members(of)].filter(([name, now]) => before.get(of)!.get(name) !== now)
      .map(([name]) => ({ of, name }))
  );
  const isIn = (all: typeof listed, { of, name }: (typeof listed)[number]) =>
    all.some((one) => one.of === of && one.name === name);
  assert.deepEqual(changed.filter((one) => !isIn(listed, one)), []);
  assert.deepEqual(listed.filter((one) => !isIn(changed, one)), []);
});
