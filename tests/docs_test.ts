import assert from "node:assert/strict";
import { secretNames } from "../core/machine/configuration/secret_files.ts";
import { variables } from "../core/machine/configuration/config.ts";
import { flowErrors } from "../core/model/flows/check_flow.ts";
import { parseDocument } from "../core/markup/parse.ts";

const root = new URL("../", import.meta.url);

async function pagesBelow(directory: URL): Promise<URL[]> {
  const pages: URL[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    if (isDirectory) pages.push(...await pagesBelow(new URL(`${name}/`, directory)));
    else if (name.endsWith(".md")) pages.push(new URL(name, directory));
  }
  return pages;
}

const pages = [
  new URL("README.md", root),
  ...["core", "kv", "routes", "sip", "tests"].map((name) => new URL(`${name}/README.md`, root)),
  ...await pagesBelow(new URL("docs/", root)),
];
const texts = new Map<string, string>();
for (const page of pages) {
  const text = await Deno.readTextFile(page).catch(() => undefined);
  if (text !== undefined) texts.set(page.href, text);
}
const shown = (page: string) => page.slice(root.href.length);

/** The text without code blocks. */
const prose = (text: string) => text.replace(/^ *```[^]*?^ *```/gm, "");

/** The anchors of the headings of a page, as GitHub makes them. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-")
    ),
  );

Deno.test("every relative link and anchor of the documentation exists", async () => {
  let links = 0;
  for (const [page, text] of texts) {
    for (const [, target] of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const url = new URL(target!, page);
      const anchor = decodeURIComponent(url.hash.slice(1));
      url.hash = "";
      links++;
      await assert.doesNotReject(Deno.stat(url), `${shown(page)}: ${target}`);
      if (anchor === "") continue;
      const anchors = anchorsOf(await Deno.readTextFile(url));
      assert.ok(anchors.has(anchor), `${shown(page)}: ${target}`);
    }
  }
  assert.ok(links > 100, String(links));
});

Deno.test("every task that the documentation names exists", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  for (const [page, text] of texts) {
    for (const [, task] of text.matchAll(/deno(?:@[\d.]+)? task ([a-z]+(?::[a-z]+)?)/g)) {
      assert.ok(task! in tasks, `${shown(page)}: deno task ${task}`);
    }
  }
});

/**
 * Names in capitals that are no variables of the service: protocols, placeholders, the system's; so are
 * OTEL_…, which Deno reads.
 */
const otherNames = new Set(
  ("TWILIO_REGION TWILIO_EDGE DENO_KV_ACCESS_TOKEN ACCOUNT_SID API_KEY_SID API_KEY_SECRET NODE_EXTRA_CA_CERTS DENO_CERT AUTH_TOKEN PUBLIC_URL SYSTEM_ID NAME_FILE " +
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 SRTP_AES128_CM_HMAC_SHA1_80").split(" "),
);

Deno.test("every setting that the documentation names exists", () => {
  let named = 0;
  for (const [page, text] of texts) {
    if (/decisions|changelog|benchmarks|tests\/README/.test(page)) continue;
    for (const [, name] of prose(text).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)) {
      named++;
      const isKnown = name! in variables || otherNames.has(name!) || name!.startsWith("OTEL_") ||
        secretNames.includes(name!.replace(/_FILE$/, ""));
      assert.ok(isKnown, `${shown(page)}: ${name}`);
    }
  }
  assert.ok(named > 100, String(named));
});

Deno.test("the documentation names the account, its AuthToken and the base URL one way", () => {
  let credentials = 0;
  for (const [page, text] of texts) {
    if (page.includes("changelog")) continue;
    const odd =
      /[$]\{?(?:SID|TOKEN|ACCOUNT|AUTH|BASE)\b|\b(?:SID|TOKEN)=|\{[^}\n]*\b(?:SID|TOKEN)\b[^}\n]*\} = process/;
    assert.equal(odd.exec(text)?.[0], undefined, shown(page));
    for (const [, user, password] of text.matchAll(/curl [^\n]*-u "?([^\s:"]+):([^\s"]+)/g)) {
      credentials++;
      // Of an account below, of an API key, and of a changed AuthToken.
      if (["$SUB_TOKEN", "$KEY_SECRET", "$NEXT"].includes(password!)) continue;
      assert.deepEqual([user, password], ["$ACCOUNT_SID", "$AUTH_TOKEN"], shown(page));
    }
    for (const [block] of text.matchAll(/^ *```sh\n[^]*?^ *```/gm)) {
      const literal = /(?<!BASE_URL=)http:\/\/(?:127\.0\.0\.1|localhost):8080/.exec(block)?.[0];
      assert.equal(literal, undefined, shown(page));
    }
  }
  assert.ok(credentials > 50, String(credentials));
});

Deno.test("docs/README.md and README.md set the variables of the commands alike", () => {
  const settings = ["README.md", "docs/README.md"].map((page) => {
    const text = texts.get(new URL(page, root).href)!;
    return /^ACCOUNT_SID=[^]*?^API=.*$/m.exec(text)?.[0];
  });
  assert.match(settings[0]!, /^AUTH_TOKEN=[^]*^BASE_URL=/m);
  assert.equal(settings[1], settings[0]);
  for (const [page, text] of texts) {
    if (!/\$ACCOUNT_SID:/.test(text) || !page.includes("/docs/")) continue;
    if (page.endsWith("changelog.md")) continue;
    assert.match(text, /README\.md#set-the-variables|^## Set the variables/m, shown(page));
  }
});

Deno.test("every flow that the documentation shows is accepted", () => {
  let flows = 0;
  for (const [page, text] of texts) {
    for (const [, code] of text.matchAll(/```json\n\s*(\{\s*"start"[^`]*)```/g)) {
      flows++;
      assert.deepEqual(flowErrors(code!), [], shown(page));
    }
  }
  assert.ok(flows >= 2);
});

Deno.test("every markup that the documentation shows is XML", () => {
  let documents = 0;
  for (const [page, text] of texts) {
    for (const [, code] of text.matchAll(/```xml\n([^`]*)```/g)) {
      documents++;
      const whole = code!.includes("<Response>") ? code! : `<Response>${code}</Response>`;
      assert.doesNotThrow(() => parseDocument(whole), shown(page));
    }
  }
  assert.ok(documents > 15);
});

Deno.test("docs/README.md leads to every page of docs, directly or by an index", () => {
  const reached = new Set<string>();
  const follow = (page: string) => {
    if (reached.has(page) || !texts.has(page)) return;
    reached.add(page);
    for (const [, target] of prose(texts.get(page)!).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      follow(new URL(target!, page).href);
    }
  };
  follow(new URL("docs/README.md", root).href);
  const lost = [...texts.keys()].filter((page) => page.includes("/docs/") && !reached.has(page));
  assert.deepEqual(lost.map(shown), []);
});
