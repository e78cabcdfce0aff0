import assert from "node:assert/strict";
import { nearestName } from "../../../core/base/near_names.ts";

Deno.test("nearestName() finds the name of another case, or at a slip of the keyboard", () => {
  const known = ["To", "From", "Status", "StatusCallback", "VoiceUrl"];
  const found = ["to", "Form", "Stauts", "statuscalback", "VoiceURI", "Statu"].map((name) =>
    nearestName(name, known)
  );

  assert.deepEqual(found, ["To", "From", "Status", "StatusCallback", "VoiceUrl", "Status"]);
});

Deno.test("nearestName() finds nothing for a name that is another word", () => {
  const known = ["To", "Url", "From", "Body"];
  for (const name of ["", "Foo", "T", "Date", "Sid", "x".repeat(1_000_000)]) {
    assert.equal(nearestName(name, known), undefined, name.slice(0, 9));
  }
});
