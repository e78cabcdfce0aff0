import assert from "node:assert/strict";
import { readCpim, readImdn, writeCpim } from "../../../sip/text/cpim.ts";
import { eventually } from "../../support/process/eventually.ts";
import { startCompanions } from "../../support/service/companions_lab.ts";
import {
  type ForeignPhoneKind,
  foreignPhones,
  foreignPhoneTest,
  startForeignPhone,
} from "../../support/sip/foreign_phone.ts";

/** A text for a phone that we did not write; what its sender is told of it. */
async function isToldOf(kind: ForeignPhoneKind): Promise<string | undefined> {
  await using lab = await startCompanions(["one"], { transports: { ports: { UDP: 0 } } });
  const [one] = lab.companions;
  for (const login of ["alice", "bob"]) await lab.client(login);
  const alice = await lab.phone("alice", one!);
  const { host, port } = one!.sipAddresses.get("UDP")!;
  const registrar = `${host}:${port}`;
  await using _bob = await startForeignPhone(kind, { login: "bob", registrar, saysHz: 1_000 });
  const { companions } = lab.app.ports;
  await eventually(
    "bob is registered",
    async () => (await companions.holding("bob", await companions.list())).length > 0,
    20_000,
  );

  const content = writeCpim({
    from: "sip:alice@sip.test",
    to: "sip:bob@sip.test",
    at: 0,
    messageId: "one",
    wants: ["positive-delivery", "negative-delivery", "display"],
    entity: ["Content-Type: text/plain"],
    body: "hello",
  });
  await alice.message("bob", "", { body: { type: "message/cpim", content } });
  await lab.app.runJobs();
  return readImdn(readCpim((await alice.nextText()).body)!.body)?.status;
}

for (const kind of foreignPhones.filter(({ name }) => name === "linphonec" || name === "PJSUA2")) {
  await foreignPhoneTest(
    kind,
    `${kind.name} takes a text whose sender asks for notifications, and the sender is told`,
    async () => assert.equal(await isToldOf(kind), "delivered"),
  );
}
