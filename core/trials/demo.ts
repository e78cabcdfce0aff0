import { Fault } from "../base/faults.ts";
import { usualCapabilities } from "../model/values/offer.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Collection } from "../model/store.ts";
import { creation, type Fields, newBase, type RecordOf, type Resource } from "../model/resource.ts";
import { clients } from "../model/resources/clients.ts";
import { incomingPhoneNumbers } from "../model/resources/incoming_phone_numbers.ts";

/** Fictional numbers (555-01XX), each with a document below `/demo/`. */
const applications = [
  { path: "echo", name: "Echo", number: "+12125550101" },
  { path: "menu", name: "Menu", number: "+12125550102" },
  { path: "voicemail", name: "Voice mail", number: "+12125550103" },
  { path: "conference", name: "Conference", number: "+12125550104" },
];

/** The login of the Client that a first start makes. */
export const demoLogin = "demo";

type DemoPorts = Pick<Ports, "records" | "settings" | "now" | "newSid">;

const documentAt = (path: string, { settings }: Pick<Ports, "settings">) =>
  `${settings.baseUrl}/demo/${path}`;

/**
 * Gives an account a Client with this password, and the numbers to try. What is there already stays
 * as it is. The numbers are virtual: no provider is involved, and nothing is charged.
 */
export async function makeDemo(
  accountSid: string,
  password: string,
  ports: DemoPorts,
): Promise<void> {
  const { records } = ports;
  const make = async <F extends Fields>(
    collection: Collection<RecordOf<Resource<F>>>,
    definition: Resource<F>,
    sent: Record<string, unknown>,
  ) => {
    const change = creation(definition, sent, newBase(definition, accountSid, ports));
    await collection.insert(change).catch((error) => {
      if (!(error instanceof Fault) || error.fault !== "alreadyExists") throw error;
    });
  };
  await make(records.clients, clients, { login: demoLogin, password, friendlyName: "Demo" });
  for (const { path, name: friendlyName, number: phoneNumber } of applications) {
    await make(records.incomingPhoneNumbers, incomingPhoneNumbers, {
      phoneNumber,
      friendlyName,
      voiceUrl: documentAt(path, ports),
      kind: "local",
      capabilities: usualCapabilities,
      isSIP: true,
    });
  }
}

/** The numbers to try that there are, in the order to try them. */
export async function demoNumbers(
  ports: Pick<Ports, "records" | "settings">,
): Promise<{ name: string; number: string }[]> {
  const found = await Promise.all(applications.map(async ({ path, name, number }) => {
    const held = await ports.records.incomingPhoneNumbers.holder("phoneNumber", number);
    return held?.voiceUrl === documentAt(path, ports) ? [{ name, number }] : [];
  }));
  return found.flat();
}

/**
 * Lets the numbers to try follow the service to another address, where they still have the documents
 * that they were made with.
 */
export async function moveDemo(
  accountSid: string,
  ports: Pick<Ports, "records" | "settings" | "now">,
): Promise<void> {
  const numbers = ports.records.incomingPhoneNumbers;
  for (const { path, number } of applications) {
    const held = await numbers.holder("phoneNumber", number);
    const voiceUrl = documentAt(path, ports);
    if (held?.accountSid !== accountSid || held.voiceUrl === voiceUrl) continue;
    if (!held.voiceUrl?.endsWith(`/demo/${path}`)) continue;
    await numbers.update(accountSid, held.sid, (record) => ({
      record: { ...record, voiceUrl, dateUpdated: ports.now() },
    }));
  }
}
