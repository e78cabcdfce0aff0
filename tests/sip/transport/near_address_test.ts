import assert from "node:assert/strict";
import { nearAddress } from "../../../sip/transport/near_address.ts";

const interfaces = [
  { address: "127.0.0.1", cidr: "127.0.0.1/8" },
  { address: "10.0.0.2", cidr: "10.0.0.2/24" },
  { address: "fd00::2", cidr: "fd00::2/64" },
];

Deno.test("nearAddress() finds our address on the network of a peer, and none for others", () => {
  const near = nearAddress("0.0.0.0", () => interfaces);
  assert.equal(near("10.0.0.3"), "10.0.0.2");
  assert.equal(near("127.0.0.1"), "127.0.0.1");
  assert.equal(near("fd00::9"), "fd00::2");
  for (const other of ["10.0.1.3", "203.0.113.20", "fd01::9", "10.0.0", ""]) {
    assert.equal(near(other), undefined, other);
  }
});

Deno.test("nearAddress() tells no address that the socket is not bound to", () => {
  const near = nearAddress("10.0.0.2", () => interfaces);
  assert.equal(near("10.0.0.3"), "10.0.0.2");
  assert.equal(near("127.0.0.1"), undefined);
});

Deno.test("nearAddress() looks at the interfaces again after a while", () => {
  let [now, list] = [0, interfaces];
  const near = nearAddress("0.0.0.0", () => list, () => now);
  assert.equal(near("10.0.9.3"), undefined);
  list = [{ address: "10.0.9.2", cidr: "10.0.9.2/24" }];
  assert.equal(near("10.0.9.3"), undefined);
  now += 10_000;
  assert.equal(near("10.0.9.3"), "10.0.9.2");
});
