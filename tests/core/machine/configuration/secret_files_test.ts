import assert from "node:assert/strict";
import {
  secretNames,
  withSecretFiles,
} from "../../../../core/machine/configuration/secret_files.ts";

const reading = (files: Record<string, string>) => (path: string): string => {
  const text = files[path];
  if (text === undefined) throw new Deno.errors.NotFound("No such file");
  return text;
};

for (const name of secretNames) {
  Deno.test(`${name} may stand in a file that ${name}_FILE names`, () => {
    const files = { "/run/secrets/one": "sixteen characters\n" };
    const given = withSecretFiles(
      { [`${name}_FILE`]: "/run/secrets/one", PORT: "80" },
      reading(files),
    );
    assert.deepEqual(given, { [name]: "sixteen characters", PORT: "80" });
  });
}

Deno.test("an environment without files of secrets is unchanged, and no file is read", () => {
  const given = { SECRET_KEY: "from the environment", RATES_FILE: "/etc/rates.csv", S: "" };
  assert.deepEqual(withSecretFiles(given, () => assert.fail("a file was read")), given);
});

Deno.test("each secret that is given twice, missing, empty or unreadable is named", () => {
  const given = {
    SECRET_KEY: "from the environment",
    SECRET_KEY_FILE: "/run/secrets/key",
    BRIDGE_SECRET_FILE: "/run/secrets/none",
    ADMIN_PASSWORD_FILE: "/run/secrets/empty",
    TURN_SECRET_FILE: "/run/secrets/shut",
  };
  const read = (path: string): string => {
    if (path === "/run/secrets/shut") throw new Deno.errors.PermissionDenied("not yours");
    return reading({ "/run/secrets/key": "a secret of the key", "/run/secrets/empty": "\n" })(path);
  };

  assert.throws(() => withSecretFiles(given, read), (error: Error) => {
    assert.equal(error.name, "ConfigError");
    const problems = error.message.replace("Cannot use the configuration: ", "").split("; ");
    assert.deepEqual(problems.sort(), [
      "ADMIN_PASSWORD_FILE names an empty file (/run/secrets/empty)",
      "BRIDGE_SECRET_FILE names a file that does not exist (/run/secrets/none)",
      "SECRET_KEY and SECRET_KEY_FILE are both set: unset one",
      "TURN_SECRET_FILE names a file that cannot be read: not yours (/run/secrets/shut)",
    ]);
    return true;
  });
});
