import assert from "node:assert/strict";
import { readDatabaseUrl, shownLocation } from "../../../kv/engines/postgres_url.ts";

Deno.test("readDatabaseUrl() reads hosts, credentials and options", () => {
  const url = "postgres://me:p%40ss@db1:6432,[2001:db8::1],db3/calls?sslrootcert=/ca.pem&pool=4";
  assert.deepEqual(readDatabaseUrl(url), {
    hosts: [
      { host: "db1", port: 6432 },
      { host: "2001:db8::1", port: 5432 },
      { host: "db3", port: 5432 },
    ],
    user: "me",
    password: "p@ss",
    database: "calls",
    tls: { verifies: true, rootCertificate: "/ca.pem" },
    pool: 4,
    hasPooler: false,
  });
});

Deno.test("readDatabaseUrl() verifies TLS by default, except on the loopback", () => {
  const tlsOf = (rest: string) => readDatabaseUrl(`postgresql://me@${rest}`).tls;
  const unverified = { verifies: false, rootCertificate: null };
  assert.deepEqual(tlsOf("db/calls"), { verifies: true, rootCertificate: null });
  assert.deepEqual(tlsOf("db/calls?sslmode=require"), unverified);
  assert.equal(tlsOf("db/calls?sslmode=disable"), null);
  for (const host of ["localhost", "127.0.0.1:5433", "[::1]"]) {
    assert.equal(tlsOf(`${host}/calls`), null);
    assert.deepEqual(tlsOf(`${host}/calls?sslmode=require`), unverified);
  }
  assert.notEqual(tlsOf("127.0.0.1,db/calls"), null);
});

Deno.test("readDatabaseUrl() names the invalid part, and never the password", () => {
  const wrong: Record<string, RegExp> = {
    "postgres://me:secret@db": /must be postgres:/,
    "postgres://db/calls": /must name a user/,
    "postgres://me:secret@db:99999/calls": /wrong host db:99999/,
    "postgres://me:secret@db,,db/calls": /wrong host/,
    "postgres://me:secret@[db]/calls": /wrong host/,
    "postgres://me:secret@db/calls?sslmode=prefer": /sslmode disable, require, verify-full/,
    "postgres://me:secret@db/calls?pool=1": /pool of 2 to 100/,
    "postgres://me:secret@db/calls?pool=many": /pool of 2 to 100/,
    "postgres://me:secret@db/calls?poool=4": /unknown parameter poool/,
  };
  for (const [url, message] of Object.entries(wrong)) {
    assert.throws(() => readDatabaseUrl(url), (error: Error) => {
      assert.match(error.message, message, url);
      return !error.message.includes("secret");
    });
  }
});

Deno.test("shownLocation() hides the password of a database, and changes no other location", () => {
  assert.equal(
    shownLocation("postgres://me:s:e@db/calls?pool=4"),
    "postgres://me:***@db/calls?pool=4",
  );
  for (const location of ["postgres://me@db/calls", "/data/switchboard.db", "https://kv.test/"]) {
    assert.equal(shownLocation(location), location);
  }
});
