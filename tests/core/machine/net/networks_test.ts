import assert from "node:assert/strict";
import { networkOf } from "../../../../core/base/networks.ts";

Deno.test("networkOf() gives one name to each /64, however an address of it is written", () => {
  const same = ["2001:db8:a::1", "2001:DB8:A::1", "2001:0db8:000a:0::1", "2001:db8:a:0:1:2:3:4"]
    .concat("2001:0DB8:000A:0000:0000:0000:0000:0001", "2001:db8:a::");
  assert.deepEqual([...new Set(same.map(networkOf))], ["2001:db8:a:0"]);
  assert.equal(networkOf("2001:db8:a:1::1"), "2001:db8:a:1");
  assert.equal(networkOf("::1"), "0:0:0:0");
  assert.equal(networkOf("::ffff:192.0.2.1"), "192.0.2.1");
  assert.equal(networkOf("192.0.2.1"), "192.0.2.1");
  assert.equal(networkOf("1:2:3:4:5:6:7:8::9"), "1:2:3:4"); // No address, and no error.
});
