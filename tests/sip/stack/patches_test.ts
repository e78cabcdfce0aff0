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
  SessionDialog: "30461b30cd3fd2fc",
  Transaction: "bc43792631a4abaf",
  URI: "0300d48181c89b0b",
  UserAgentClient: "643a8b80e34ca7d4",
  UserAgentCore: "321a3624352a55d3",
  UserAgentServer: "d8f195b4b7558a30",
};

const sourceHash = (name: string): string => {
  const made = (library as unknown as Record<string, unknown>)[name];
  return createHash("sha256").update(String(made)).digest("hex").slice(0, 16);
};

Deno.test("the classes of sip.js that patches touch are those that the patches were written for", () => {
  const found = Object.fromEntries(Object.keys(known).map((name) => [name, sourceHash(name)]));
  assert.deepEqual(found, known);
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
