import assert from "node:assert/strict";
import { misspeltNotes } from "../../../../core/machine/configuration/misspelt.ts";

Deno.test("misspeltNotes() names the variable that a misspelt one was meant to be", () => {
  const notes = misspeltNotes([
    "SIP_DOMIAN",
    "SIP_WS_PROT",
    "BASEURL",
    "PUBLIC_IPS",
    "SMPT_URL",
    "STRICT_SMS",
  ]);

  const meant = [
    "SIP_DOMAIN",
    "SIP_WS_PORT",
    "BASE_URL",
    "PUBLIC_IP",
    "SMTP_URL",
    "STRICT_SMS_FROM",
  ];
  assert.deepEqual(notes.map((note) => /mean (\w+)\?$/.exec(note)?.[1]), meant);
  assert.equal(
    notes[0],
    "Ignored SIP_DOMIAN: there is no such variable. Did you mean SIP_DOMAIN?",
  );
});

Deno.test("misspeltNotes() is silent about other programs' variables and right names", () => {
  assert.deepEqual(misspeltNotes(["HOME", "PATH", "SHELL", "LANG", "HOST", "SIP_DOMAIN"]), []);
  assert.deepEqual(misspeltNotes(["SIP_DOMAIN", "SIP_DOMAINS"]), [], "the right one is set too");
});
