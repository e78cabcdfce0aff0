import type { App } from "../service/app.ts";
import { callCentre } from "../service/flow_samples.ts";
import { sampleBinding } from "../service/samples.ts";
import { hourMs, server } from "./records.ts";

/** The Logins of the account's Clients. */
export const agents = ["ana.moreno", "bilal", "front-desk-reception-2nd-floor", "dispatch"];

/** Numbers, Clients, applications, flows, trunks, keys and sub-accounts. */
export async function build(app: App) {
  const { root } = app;
  const make = async (path: string, form: Record<string, string> = {}): Promise<string> => {
    const { status, text, json } = await root.post(`${path}.json`, form);
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return json().sid;
  };
  const sids: Record<string, string> = {};
  sids.Flow = await make("Applications", {
    FriendlyName: "Call centre",
    Kind: "voice",
    Flow: JSON.stringify(callCentre),
  });
  await root.post(`Applications/${sids.Flow}.json`, {
    Flow: JSON.stringify({ ...callCentre, variables: { tries: "1" } }),
  });
  sids.Applications = await make("Applications", {
    FriendlyName: "Main menu",
    Kind: "voice",
    RcmlUrl: `${server}/ivr/main-menu`,
  });
  sids.IncomingPhoneNumbers = await make("IncomingPhoneNumbers", {
    PhoneNumber: "+12125550100",
    FriendlyName: "Head office",
    VoiceUrl: `${server}/ivr/main-menu`,
    SmsUrl: `${server}/texts`,
  });
  await make("IncomingPhoneNumbers", {
    PhoneNumber: "+12125550199",
    FriendlyName: "Support line, evenings and weekends only",
    VoiceApplicationSid: sids.Flow,
  });
  await make("IncomingPhoneNumbers", { PhoneNumber: "+13105550111" });
  for (const login of agents) {
    sids.Clients = await make("Clients", {
      Login: login,
      Password: "a long secret",
      FriendlyName: login.replaceAll(/[.-]/g, " "),
      ...login === "dispatch" && { Status: "0" },
      ...login === "bilal" &&
        { VoiceUrl: `${server}/agents/outgoing?agent=bilal&team=customer-success-emea` },
    });
    app.registered.set(login, [sampleBinding(app), {
      ...sampleBinding(app),
      transport: "TLS",
      userAgent: "Yealink SIP-T46U 108.86.0.40",
      remoteAddress: "198.51.100.23:5061",
      registeredAt: app.clock.now - 9 * hourMs,
    }]);
  }
  sids["Management/Gateways"] = await make("Management/Gateways", {
    FriendlyName: "Carrier One",
    UserName: "acme-trunk",
    Password: "secret",
    Proxy: "sip.carrier.example:5061;transport=tls",
  });
  const down = await make("Management/Gateways", {
    FriendlyName: "Carrier Two (fallback)",
    UserName: "acme-2",
    Password: "secret",
    Proxy: "203.0.113.50:5060",
  });
  const set = (sid: string, sent: object) =>
    app.ports.records.gateways.update(
      root.sid,
      sid,
      (record) => ({ record: { ...record, ...sent } }),
    );
  await set(sids["Management/Gateways"]!, { status: "registered" });
  await set(down, { status: "failed", reason: "403 Forbidden" });
  sids.OutgoingCallerIds = await make("OutgoingCallerIds", {
    PhoneNumber: "+14155550170",
    FriendlyName: "Mobile of the owner",
  });
  sids.Keys = await make("Keys", { FriendlyName: "CI pipeline" });
  await make("Keys", { FriendlyName: "Billing export, nightly", Role: "Developer" });
  sids["SMS/Messages"] = await make("SMS/Messages", {
    From: "+12125550100",
    To: "+12125550177",
    Body: "Your order 4711 is on its way and will arrive on Friday between 9 and 12.",
  });
  await make("SMS/Messages", { From: "+12125550100", To: "client:bilal", Body: "ok" });
  await root.post("Email/Messages.json", {
    From: "calls@example.com",
    To: "ana.moreno@example.com",
    Subject: "A new message of Grace Hopper",
    Body: "Hello",
  });
  sids["Email/Messages"] = (await root.get("Email/Messages.json")).json().messages[0].sid;
  sids.Geolocation = await make("Geolocation/Immediate", {
    DeviceIdentifier: "+59899077937",
    StatusCallback: `${server}/found`,
  });
  const team = await app.subAccount(root, "sales");
  await app.subAccount(team, "emea");
  const closed = await app.subAccount(root, "pilot");
  await root.post(`../${closed.sid}.json`, { Status: "suspended" }).catch(() => null);
  return { sids, team: { sid: team.sid } };
}
