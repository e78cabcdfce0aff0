/** Scenarios for sipp: messages of the companion's Clients over plain SIP transports. */

const scenario = (name: string, steps: string[]) =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="${name}">\n${
    steps.join("\n")
  }\n</scenario>\n`;

const send = (message: string, attributes = "") =>
  `<send ${attributes}><![CDATA[\n${message}\n]]></send>`;
const repeated = 'retrans="500"';

/** Identity of a scenario; the password is the login and `-secret`. */
interface Identity {
  login: string;
  domain: string;
}

interface RequestOptions {
  cseq: number;
  to: string;
  via?: string;
  headers?: string[];
  body?: string;
}

function request(
  method: string,
  { login, domain }: Identity,
  { cseq, to, via, headers = [], body = "" }: RequestOptions,
): string {
  return [
    `${method} ${/<(.*?)>/.exec(to)?.[1]} SIP/2.0`,
    via ?? "Via: SIP/2.0/[transport] [local_ip]:[local_port];rport;branch=[branch]",
    `From: <sip:${login}@${domain}>;tag=[pid]t[call_number]`,
    `To: ${to}`,
    "Call-ID: [call_id]",
    `CSeq: ${cseq} ${method}`,
    `Contact: <sip:${login}@[local_ip]:[local_port];transport=[transport]>`,
    "Max-Forwards: 70",
    ...headers,
    ...body === "" ? [] : ["Content-Type: application/sdp"],
    "Content-Length: [len]",
    "",
    body,
  ].join("\n");
}

const sdp = `v=0
o=- 1 1 IN IP4 127.0.0.1
s=-
c=IN IP4 127.0.0.1
t=0 0
m=audio 9 RTP/AVP 0
`;

const credentials = ({ login }: Identity) =>
  `[authentication username=${login} password=${login}-secret]`;

/** Registers, answering the challenge. */
export function registering(identity: Identity): string {
  const to = `<sip:${identity.login}@${identity.domain}>`;
  // The registrar's own address has no user part.
  const register = (cseq: number, headers: string[]) =>
    request("REGISTER", identity, { cseq, to, headers: ["Expires: 300", ...headers] })
      .replace(/^REGISTER \S+/, `REGISTER sip:${identity.domain}`);
  return scenario("registering", [
    send(register(1, []), repeated),
    '<recv response="100" optional="true"/>',
    '<recv response="401" auth="true"/>',
    send(register(2, [credentials(identity)]), repeated),
    '<recv response="100" optional="true"/>',
    '<recv response="200"/>',
  ]);
}

/** Up to the INVITE that the companion takes. */
function inviting(identity: Identity, to: string): string[] {
  const options = { to, body: sdp };
  const refused = request("ACK", identity, {
    cseq: 1,
    to: `${to}[peer_tag_param]`,
    via: "[last_Via:]",
  });
  return [
    send(request("INVITE", identity, { ...options, cseq: 1 }), repeated),
    '<recv response="100" optional="true"/>',
    '<recv response="407" auth="true"/>',
    send(refused),
    send(
      request("INVITE", identity, { ...options, cseq: 2, headers: [credentials(identity)] }),
      repeated,
    ),
    '<recv response="100" optional="true"/>',
  ];
}

/** Calls, talks for a moment and hangs up. */
export function calling(identity: Identity, callee: string): string {
  const to = `<sip:${callee}@${identity.domain}>`;
  const inDialog = (method: string, cseq: number) =>
    request(method, identity, { cseq, to: `${to}[peer_tag_param]` })
      .replace(/^\w+ \S+/, `${method} [next_url]`);
  return scenario("calling", [
    ...inviting(identity, to),
    '<recv response="180" optional="true"/>',
    '<recv response="200" rrs="true"/>',
    send(inDialog("ACK", 2)),
    '<pause milliseconds="50"/>',
    send(inDialog("BYE", 3), repeated),
    '<recv response="200"/>',
  ]);
}

/** Calls, and gives up as soon as it rings. */
export function cancelling(identity: Identity, callee: string): string {
  const to = `<sip:${callee}@${identity.domain}>`;
  const cancel = request("CANCEL", identity, { cseq: 2, to, via: "[last_Via:]" });
  const ack = request("ACK", identity, {
    cseq: 2,
    to: `${to}[peer_tag_param]`,
    via: "[last_Via:]",
  });
  return scenario("cancelling", [
    ...inviting(identity, to),
    '<recv response="180"/>',
    send(cancel, repeated),
    '<recv response="200"/>',
    '<recv response="487"/>',
    send(ack),
  ]);
}

const response = (
  line: string,
  { headers = [] as string[], cseq = "[last_CSeq:]", body = "" } = {},
) =>
  [
    `SIP/2.0 ${line}`,
    "[last_Via:]",
    "[last_From:]",
    "[last_To:];tag=[pid]u[call_number]",
    "[last_Call-ID:]",
    cseq,
    ...headers,
    ...body === "" ? [] : ["Content-Type: application/sdp"],
    "Content-Length: [len]",
    "",
    body,
  ].join("\n");

const contact = ["Contact: <sip:[local_ip]:[local_port];transport=[transport]>"];
const answer = (cseq?: string) =>
  response("200 OK", { headers: contact, body: sdp, ...cseq === undefined ? {} : { cseq } });
const ringing = ['<recv request="INVITE"/>', send(response("180 Ringing", { headers: contact }))];
const ending = [
  '<recv request="BYE"/>',
  send(response("200 OK").replace(";tag=[pid]u[call_number]", "")),
  // Repeated requests are answered meanwhile.
  '<timewait milliseconds="4000"/>',
];

/** Rings, answers, and waits for the BYE; if the ACK is lost, BYE may come before its repeat. */
export const answering = (): string =>
  scenario("answering", [
    ...ringing,
    send(answer(), repeated),
    '<recv request="ACK" optional="true"/>',
    ...ending,
  ]);

/** Rings until it is cancelled. */
export const ringingOn = (): string =>
  scenario("ringing on", [
    ...ringing,
    '<recv request="CANCEL"/>',
    send(response("200 OK")),
    send(response("487 Request Terminated", { cseq: "CSeq: 1 INVITE" }), repeated),
    '<recv request="ACK"/>',
    '<timewait milliseconds="1000"/>',
  ]);

/** Has answered already when it is cancelled, so that the two cross. */
export const answeringLate = (): string =>
  scenario("answering late", [
    ...ringing,
    '<recv request="CANCEL"/>',
    send(response("200 OK")),
    send(answer("CSeq: 1 INVITE")),
    '<recv request="ACK"/>',
    ...ending,
  ]);

/** Answers, and presses a digit by INFO in each body in turn, until it is hung up on. */
export function pressing(digits: string): string {
  const headerOf = (name: string, variable: string) =>
    `<ereg regexp=".*" search_in="hdr" header="${name}:" assign_to="${variable}"/>`;
  const info = (digit: string, at: number) =>
    [
      "INFO [next_url] SIP/2.0",
      "Via: SIP/2.0/[transport] [local_ip]:[local_port];rport;branch=[branch]",
      "From: [$self];tag=[pid]u[call_number]",
      "To: [$peer]",
      "Call-ID: [call_id]",
      `CSeq: ${at + 1} INFO`,
      ...contact,
      "Max-Forwards: 70",
      `Content-Type: application/${at % 2 === 0 ? "dtmf-relay" : "dtmf"}`,
      "Content-Length: [len]",
      "",
      at % 2 === 0 ? `Signal=${digit}\nDuration=100\n` : digit,
    ].join("\n");
  const names = [headerOf("From", "peer"), headerOf("To", "self")].join("");
  return scenario("pressing", [
    `<recv request="INVITE" rrs="true"><action>${names}</action></recv>`,
    send(answer(), repeated),
    '<recv request="ACK"/>',
    '<pause milliseconds="500"/>',
    ...[...digits].flatMap((digit, at) => [
      send(info(digit, at), repeated),
      '<recv response="200"/>',
    ]),
    ...ending,
  ]);
}
