import assert from "node:assert/strict";
import { openReceiveLab, type ReceiveLab } from "../../support/service/receive_lab.ts";
import { readSip, type SipText, valueOf, valuesOf } from "../../support/sip/sip_text.ts";

/** The messages of RFC 4475 (see torture/README.md), each with what this server does about it. */
interface Torture {
  file: string;
  /** What the RFC wants to see, and why we differ where we do. */
  what: string;
  /** The statuses of what is sent back at once; none when the message must be dropped. */
  answers: number[];
  /** Headers that the answer must have. */
  with?: Record<string, RegExp>;
  /** The same, from a Client who proves its name, is let in: this is what was understood of it. */
  proven?: { login: string; contact?: string; uri?: string };
}

const challenged = [407];

const valid: Torture[] = [
  {
    file: "wsinv",
    what: "odd blanks and folds are read; its To tag names a dialog, which we do not have",
    answers: [481],
    with: { "cseq": /^9 INVITE$/, "via": /branch=390skdjuw/, "from": /tag\s*=\s*98asjd8/ },
  },
  { file: "intmeth", what: "every odd character is read; the method is unknown", answers: [501] },
  { file: "esc01", what: "escapes in URIs name the same user", answers: challenged },
  { file: "escnull", what: "an escaped NUL is no end of a text", answers: [401] },
  { file: "esc02", what: "escapes mean nothing in a method or a header name", answers: [501] },
  { file: "lwsdisp", what: "no blank between display name and <", answers: [200] },
  {
    file: "longreq",
    what: "long values",
    answers: challenged,
    with: { "call-id": /^longreq\.one(really)+longcallid$/, "from": /(amazinglylong.*){5}/ },
  },
  {
    file: "dblreq",
    what: "what follows Content-Length is no part of the message, nor another one",
    answers: [401],
    with: { "cseq": /^8 REGISTER$/ },
    proven: { login: "j.user", contact: "<sip:j.user@host.example.com>" },
  },
  { file: "semiuri", what: "a semicolon in the user part begins no parameter", answers: [200] },
  { file: "transports", what: "unknown transports in Via", answers: [200] },
  { file: "mpart01", what: "a body with NULs; only plain text is taken", answers: [415] },
  { file: "unreason", what: "a response of nothing we sent", answers: [] },
  { file: "noreason", what: "a response without a reason, of nothing we sent", answers: [] },
];

const invalid: Torture[] = [
  { file: "badinv01", what: "empty parameters and values in Via and Contact", answers: [400] },
  { file: "clerr", what: "a body shorter than Content-Length", answers: [400] },
  { file: "ncl", what: "a negative Content-Length", answers: [400] },
  {
    file: "scalar02",
    what: "scalars out of range; the CSeq goes back as it came",
    answers: [400],
    with: { "cseq": /^36893488147419103232 REGISTER$/ },
  },
  { file: "scalarlg", what: "a response with scalars out of range", answers: [] },
  {
    file: "quotbal",
    what: "an unclosed quote in To, which goes back as it came",
    answers: [400],
    with: { "to": /^"Mr\. J\. User <sip:j\.user@example\.com>$/ },
  },
  { file: "ltgtruri", what: "a Request-URI in brackets", answers: [400] },
  { file: "lwsruri", what: "a blank in the Request-URI", answers: [400] },
  { file: "lwsstart", what: "blanks in the request line", answers: [400] },
  { file: "trws", what: "blanks after the request line", answers: [400] },
  {
    file: "escruri",
    what: "headers in the Request-URI: allowed to be ignored, and softphones send X- headers so",
    answers: challenged,
    proven: { login: "caller", uri: "sip:user@example.com" },
  },
  {
    file: "baddate",
    what: "a bad Date: nothing here depends on it",
    answers: challenged,
    proven: { login: "caller", uri: "sip:user@example.com" },
  },
  { file: "regbadct", what: "a Contact with headers and no brackets", answers: [400] },
  { file: "badaspec", what: "blanks within the brackets of To", answers: [400] },
  {
    file: "baddn",
    what: "headers that do not end; the unquoted comma in a display name would be taken",
    answers: [400],
  },
  { file: "badvers", what: "another version of SIP", answers: [505] },
  { file: "mismatch01", what: "a method that differs from its CSeq", answers: [400] },
  {
    file: "mismatch02",
    what: "an unknown method that differs from its CSeq: 501 would do as well",
    answers: [400],
  },
  { file: "bigcode", what: "a response with a status over 32 bits", answers: [] },
];

const layers: Torture[] = [
  { file: "badbranch", what: "a branch of the bare cookie", answers: [200] },
  {
    file: "insuf",
    what: "no Call-ID, From or To: the answer has what there is",
    answers: [400],
    with: { "cseq": /^193942 INVITE$/, "via": /branch=z9hG4bKkdj\.insuf/, "call-id": /^$/ },
  },
  { file: "unkscm", what: "a Request-URI of an unknown scheme", answers: [416] },
  { file: "novelsc", what: "a Request-URI of a registered but foreign scheme", answers: [416] },
  {
    file: "unksm2",
    what: "unknown schemes in To, From and Contact: that To is no address of ours",
    answers: [404],
  },
  {
    file: "bext01",
    what: "options that nobody knows",
    answers: [420],
    with: { "unsupported": /^nothingsupportsthis, nothingsupportsthiseither, / },
  },
  {
    file: "invut",
    what: "a body of an unknown type",
    answers: [415],
    with: { "accept": /^application\/sdp$/ },
  },
  {
    file: "regaut01",
    what: "an unknown authentication scheme",
    answers: [401],
    proven: { login: "j.user", contact: "" },
  },
  { file: "multi01", what: "twice what may stand once", answers: [400] },
  { file: "mcl01", what: "two lengths", answers: [400] },
  { file: "bcast", what: "a response with the Via of another", answers: [] },
  { file: "zeromf", what: "no hops left, at the end of its way", answers: [200] },
  {
    file: "cparam01",
    what: "a parameter of the Contact header",
    answers: [401],
    proven: {
      login: "watson",
      contact: "<sip:+19725552222@gw1.example.net>;unknownparam",
    },
  },
  {
    file: "cparam02",
    what: "a parameter of the Contact URI",
    answers: [401],
    proven: { login: "watson", contact: "<sip:+19725552222@gw1.example.net;unknownparam>" },
  },
  {
    file: "regescrt",
    what: "a Contact with headers",
    answers: [401],
    proven: {
      login: "user",
      contact: "<sip:user@example.com?Route=%3Csip:sip.example.com%3E>",
    },
  },
  {
    file: "sdp01",
    what: "an Accept that our answer would not fit: nobody sends one",
    answers: challenged,
    proven: { login: "caller", uri: "sip:user@example.com" },
  },
  {
    file: "inv2543",
    what: "RFC 2543 without tags and Contact: no such phone could hold a dialog with us",
    answers: [400],
  },
];

const folder = new URL("torture/", import.meta.url);
const all = [...valid, ...invalid, ...layers];

Deno.test("every torture message has its outcome", async () => {
  const files = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name)
    .filter((name) => name.endsWith(".dat")).sort();

  assert.deepEqual(all.map(({ file }) => `${file}.dat`).sort(), files);
});

for (const { file, what, answers, with: headers = {}, proven } of all) {
  const outcome = answers.length === 0 ? "drops" : `answers ${answers.at(-1)} to`;
  Deno.test(`receive() ${outcome} ${file}: ${what}`, async () => {
    using lab = openReceiveLab("example.com");
    const text = await Deno.readTextFile(new URL(`${file}.dat`, folder));
    const connection = lab.connect();

    connection.receive(text);
    await lab.time.settle();

    assert.deepEqual(connection.statuses(), answers);
    const last = connection.sent.at(-1);
    if (last !== undefined) assertAnswers(readSip(text), readSip(last), headers);
    if (proven !== undefined) await assertProven(lab, text, proven);
    lab.time.advance(60_000);
    assert.deepEqual(lab.logged, []);
  });
}

/** A response goes back the way of its request, and is one line of text for each header. */
function assertAnswers(asked: SipText, answer: SipText, headers: Record<string, RegExp>): void {
  for (const [name, pattern] of Object.entries(headers)) {
    assert.match(valueOf(answer, name), pattern, name);
  }
  for (const [name, value] of answer.headers) {
    assert.match(name, /^[a-z-]+$/, `a header is broken: ${name}: ${value}`);
  }
  assert.equal(valuesOf(answer, "cseq").length, 1);
  assert.equal(valueOf(answer, "call-id"), callIdOf(asked));
}

const callIdOf = (message: SipText): string => valueOf(message, "call-id") || valueOf(message, "i");

/** Sends the message again with credentials, a REGISTER to be bound and an INVITE to be let in. */
async function assertProven(
  lab: ReceiveLab,
  text: string,
  { login, contact, uri }: NonNullable<Torture["proven"]>,
): Promise<void> {
  const { method = "", start } = readSip(text);
  const target = start.split(" ")[1] ?? "";
  const header = method === "REGISTER" ? "Authorization" : "Proxy-Authorization";
  const withProof = (message: string) =>
    message.replace("\r\n", `\r\n${lab.proof(header, { login, method, uri: target })}\r\n`);
  const connection = lab.connect();
  if (method === "INVITE") register(lab, connection, login);
  await lab.time.settle();

  connection.receive(withProof(text).replace(/branch=[^;\r]+/, "branch=z9hG4bKproven"));
  await lab.time.settle();

  const last = readSip(connection.sent.at(-1) ?? "");
  if (contact !== undefined) {
    assert.equal(last.status, 200);
    assert.equal(valueOf(last, "contact").replace(/;expires=\d+$/, ""), contact);
  }
  if (uri !== undefined) {
    const [report] = lab.reports;
    assert.equal(report?.event.type === "incoming" && report.event.uri, uri);
  }
}

function register(lab: ReceiveLab, to: ReturnType<ReceiveLab["connect"]>, login: string): void {
  to.receive([
    "REGISTER sip:example.com SIP/2.0",
    "Via: SIP/2.0/WS phone.invalid;branch=z9hG4bKregister",
    `From: <sip:${login}@example.com>;tag=1`,
    `To: <sip:${login}@example.com>`,
    "Call-ID: register",
    "CSeq: 1 REGISTER",
    `Contact: <sip:${login}@phone.invalid>`,
    lab.proof("Authorization", { login, method: "REGISTER", uri: "sip:example.com" }),
    "",
    "",
  ].join("\r\n"));
}
