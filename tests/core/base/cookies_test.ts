import assert from "node:assert/strict";
import {
  type Cookie,
  cookieHeader,
  shownSetCookie,
  withSetCookies,
} from "../../../core/base/cookies.ts";

const now = Date.UTC(2026, 0, 1);
const steadyNow = 5_000_000;

const set = (headers: string[], url: string, kept: readonly Cookie[] = []) =>
  withSetCookies(kept, headers, { url: new URL(url), now, steadyNow });

const sent = (kept: readonly Cookie[], url: string, afterMs = 0) =>
  cookieHeader(kept, { url: new URL(url), steadyNow: steadyNow + afterMs });

Deno.test("a cookie is sent to its path and below, over TLS alone where it is Secure", () => {
  const kept = set([
    "top=1; Path=/",
    "deep=2; Path=/a/b; HttpOnly; SameSite=Lax",
    "own=3",
    "safe=4; Path=/; Secure",
  ], "https://app.test/a/one");
  const cases: [url: string, header: string | null][] = [
    ["https://app.test/a/b/c", "deep=2; own=3; top=1; safe=4"],
    ["https://app.test/a/b", "deep=2; own=3; top=1; safe=4"],
    ["https://app.test/a/bc", "own=3; top=1; safe=4"],
    ["https://app.test/ab", "top=1; safe=4"],
    ["http://app.test/ab", "top=1"],
  ];
  for (const [url, header] of cases) assert.equal(sent(kept, url), header, url);
});

Deno.test("values of cookies come back as they came, quotes and = included", () => {
  const kept = set(['a="b c"', "b=x=y==", "c=", " d = e "], "http://app.test/");
  assert.equal(sent(kept, "http://app.test/"), 'a="b c"; b=x=y==; c=; d=e');
});

Deno.test("a cookie ends with its Max-Age or Expires, in every form of dates", () => {
  const over = [
    "a=1; Max-Age=0",
    "a=1; Max-Age=-5; Expires=Wed, 01 Jan 2031 00:00:00 GMT",
    "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    "a=1; expires=Wed, 31-Dec-25 23:59:59 GMT",
    "a=1; expires=Wed Dec 31 23:59:59 2025",
  ];
  for (const one of over) assert.deepEqual(set([one], "http://app.test/"), [], one);
  const hour = [
    "a=1; Max-Age=3600",
    "a=1; Max-Age=3600; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    "a=1; Expires=Thu, 01 Jan 2026 01:00:00 GMT",
    "a=1; Expires=Thursday, 01-Jan-26 01:00:00 GMT",
    "a=1; Expires=Thu Jan  1 01:00:00 2026",
  ];
  for (const one of hour) {
    const kept = set([one], "http://app.test/");
    assert.equal(sent(kept, "http://app.test/", 3_599_999), "a=1", one);
    assert.equal(sent(kept, "http://app.test/", 3_600_000), null, one);
  }
  for (const one of ["a=1; Expires=soon", "a=1; Max-Age=x", "a=1; Expires=99 Jan 2026 25:61:00"]) {
    assert.equal(sent(set([one], "http://app.test/"), "http://app.test/", 1e12), "a=1", one);
  }
});

Deno.test("a cookie that is set again replaces the first, and one that has ended removes it", () => {
  const kept = set(["a=1; Path=/", "b=2; Path=/"], "http://app.test/");
  const again = set(["a=3; Path=/", "a=4; Path=/x"], "http://app.test/", kept);
  assert.equal(sent(again, "http://app.test/x"), "a=4; a=3; b=2");
  const gone = set(["a=; Path=/; Max-Age=0"], "http://app.test/", again);
  assert.equal(sent(gone, "http://app.test/x"), "a=4; b=2");
});

Deno.test("a cookie for another host than its server's is not stored", () => {
  const cases: [url: string, header: string, isKept: boolean][] = [
    ["http://app.test/", "a=1; Domain=app.test", true],
    ["http://www.app.test/", "a=1; Domain=.App.Test", true],
    ["http://app.test/", "a=1; Domain=www.app.test", false],
    ["http://app.test/", "a=1; Domain=other.test", false],
    ["http://app.test/", "a=1; Domain=pp.test", false],
    ["http://192.0.2.1/", "a=1; Domain=2.1", false],
    ["http://192.0.2.1/", "a=1; Domain=192.0.2.1", true],
    ["http://app.test/", "a=1; Secure", false],
    ["https://app.test/", "__Secure-a=1; Secure", true],
    ["https://app.test/", "__Secure-a=1", false],
    ["https://app.test/", "__Host-a=1; Secure; Path=/", true],
    ["https://app.test/", "__Host-a=1; Secure; Path=/; Domain=app.test", false],
    ["https://app.test/x/y", "__Host-a=1; Secure", false],
  ];
  for (const [url, header, isKept] of cases) {
    assert.equal(set([header], url).length, Number(isKept), `${header} of ${url}`);
  }
});

Deno.test("text that is no cookie is not stored", () => {
  for (const header of ["", "no value", "=x", "a\0=1", "a=b\nc", `a=${"x".repeat(5_000)}`]) {
    assert.deepEqual(set([header], "http://app.test/"), [], header.slice(0, 20));
  }
});

Deno.test("there are at most 20 cookies and 4 kB of a pair: the oldest give way", () => {
  const many = Array.from({ length: 30 }, (_, n) => `c${n}=1; Path=/`);
  const names = set(many, "http://app.test/").map(({ name }) => name);
  assert.deepEqual([names.length, names[0], names.at(-1)], [20, "c10", "c29"]);
  const long = ["a", "b", "c"].map((name) => `${name}=${"x".repeat(1_800)}; Path=/`);
  assert.deepEqual(set(long, "http://app.test/").map(({ name }) => name), ["b", "c"]);
});

Deno.test("a Set-Cookie header is shown without its value", () => {
  assert.equal(shownSetCookie("sid=s3cret=1; Path=/; Secure"), "sid=********; Path=/; Secure");
  assert.equal(shownSetCookie("sid=;Path=/"), "sid=********;Path=/");
});
