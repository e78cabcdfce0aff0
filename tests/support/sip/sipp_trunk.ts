const scenario = (name: string, body: string) =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="${name}">${body}</scenario>\n`;

const sdpThat = (direction: string) =>
  `v=0
o=carrier 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [local_ip]
t=0 0
m=audio 40000 RTP/AVP 0
a=rtpmap:0 PCMU/8000
a=${direction}
`;
const sdp = sdpThat("inactive");

const response = (status: string, extra = "", body = "") =>
  `<send><![CDATA[
SIP/2.0 ${status}
[last_Via:]
[last_From:]
[last_To:];tag=[pid]t[call_number]
[last_Call-ID:]
[last_CSeq:]
[last_Record-Route:]
Contact: <sip:carrier@[local_ip]:[local_port];transport=[transport]>
${extra}${body === "" ? "" : "Content-Type: application/sdp\n"}Content-Length: [len]

${body}]]></send>`;

const bye = `<recv request="BYE"/><send><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
[last_CSeq:]
Content-Length: 0

]]></send>`;

const conversation = `${response("180 Ringing")}${response("200 OK", "", sdp)}
<recv request="ACK"/>${bye}`;

/** A carrier that answers a call, which the other side ends. */
export const answering = scenario("answering", `<recv request="INVITE"/>${conversation}`);

/** The same, for a caller that proves to be "trunk" with the password "pass". */
export const challenging = scenario(
  "challenging",
  `<recv request="INVITE"/>
${
    response(
      "401 Unauthorized",
      'WWW-Authenticate: Digest realm="carrier.test",nonce="n47",algorithm=MD5,qop="auth"\n',
    )
  }
<recv request="ACK"/>
<recv request="INVITE">
<action><verifyauth assign_to="valid" username="trunk" password="pass"/></action>
</recv>
<nop test="valid" next="proven"/>
${
    response("403 Forbidden")
  }<recv request="ACK"/><nop><action><exec int_cmd="stop_now"/></action></nop>
<label id="proven"/>${conversation}`,
);

/** A request of the carrier that calls a number. */
const calls = (number: string, { method = "INVITE", cseq = 1, uri = "[next_url]", headers = "" }) =>
  `<send${method === "ACK" ? "" : ' retrans="500"'}><![CDATA[
${method} ${uri} SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: "Far" <sip:+442079460000@carrier.test>;tag=[pid]t[call_number]
To: <sip:${number}@carrier.test>${method === "INVITE" ? "" : "[peer_tag_param]\n[routes]"}
Call-ID: [call_id]
CSeq: ${cseq} ${method}
Contact: <sip:carrier@[local_ip]:[local_port];transport=[transport]>
Max-Forwards: 70
${headers}${method === "INVITE" ? "Content-Type: application/sdp\n" : ""}Content-Length: [len]

${method === "INVITE" ? sdp : ""}]]></send>`;

const invites = (number: string, cseq = 1, headers = "") =>
  calls(number, { uri: `sip:${number}@[remote_ip]:[remote_port]`, cseq, headers });

const progress = `<recv response="100" optional="true"/><recv response="180" optional="true"/>`;

/** The carrier takes the answer to its call, and hangs up. */
const talks = (number: string, cseq = 1, checked = "") =>
  `${progress}<recv response="200" rrs="true">${checked}</recv>
${calls(number, { method: "ACK", cseq })}${calls(number, { method: "BYE", cseq: cseq + 1 })}
<recv response="200"/>`;

/** A carrier that calls a number, talks, and hangs up. */
export const calling = (number: string) => scenario("calling", invites(number) + talks(number));

/**
 * A carrier that calls a number with a session of half a minute. When that is refused, it uses the
 * minimum in the response (RFC 4028 §7.3).
 */
export const callingBriefly = (number: string) => {
  const timer = (seconds: number) =>
    `Supported: timer\nSession-Expires: ${seconds}\nMin-SE: ${seconds}\n`;
  return scenario(
    "callingBriefly",
    `${invites(number, 1, timer(30))}
<recv response="100" optional="true"/>
<recv response="422">${checks("^ *90$", "Min-SE")}</recv>
<send><![CDATA[
ACK sip:${number}@[remote_ip]:[remote_port] SIP/2.0
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
CSeq: 1 ACK
Max-Forwards: 70
Content-Length: 0

]]></send>
${invites(number, 2, timer(90))}
${talks(number, 2, checks("^ *90;refresher=uac$", "Session-Expires"))}
<Reference variables="checked"/>`,
  );
};

/** Notes the caller, so that the carrier can send requests in the dialog. */
const called = `<recv request="INVITE" rrs="true"><action>
<ereg regexp=".*" search_in="hdr" header="From:" assign_to="caller"/>
<ereg regexp=".*" search_in="hdr" header="To:" assign_to="callee"/>
</action></recv>`;

/** A request of the carrier in the dialog of a call that came to it. */
const within = (method: string, cseq: number, headers = "", body = "") =>
  `<send${method === "ACK" ? "" : ' retrans="500"'}><![CDATA[
${method} [next_url] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: [$callee];tag=[pid]t[call_number]
To: [$caller]
[routes]
Call-ID: [call_id]
CSeq: ${cseq} ${method}
Contact: <sip:carrier@[local_ip]:[local_port];transport=[transport]>
Max-Forwards: 70
${headers}${body === "" ? "" : "Content-Type: application/sdp\n"}Content-Length: [len]

${body}]]></send>`;

/** Ends the scenario unless a message has something in its body, or in one header. */
const checks = (pattern: string, header?: string) =>
  `<action>${checksIn(pattern, header)}</action>`;

const checksIn = (pattern: string, header?: string) =>
  `<ereg regexp="${pattern}" ${
    header === undefined ? 'search_in="body"' : `search_in="hdr" header="${header}:"`
  } check_it="true" assign_to="checked"/>`;

const accepted = (check: string) =>
  `<recv response="100" optional="true"/><recv response="200">${check}</recv>`;

/** A re-INVITE of the carrier, which must be answered with a direction. */
const reinvite = (cseq: number, direction: string, answer: string) =>
  within("INVITE", cseq, "", sdpThat(direction)) + accepted(checks(`a=${answer}`)) +
  within("ACK", cseq);

const references = '<Reference variables="caller,callee,checked"/>';

/** A carrier that answers, holds, resumes and hangs up. */
export const holding = scenario(
  "holding",
  `${called}${response("180 Ringing")}${response("200 OK", "", sdpThat("sendrecv"))}
<recv request="ACK"/>${reinvite(1, "sendonly", "recvonly")}${reinvite(2, "inactive", "inactive")}
${reinvite(3, "sendrecv", "sendrecv")}${within("BYE", 4)}<recv response="200"/>${references}`,
);

/** A carrier that wants sessions of ten minutes at least (RFC 4028 §7.3). */
export const demanding = scenario(
  "demanding",
  `<recv request="INVITE"/>${response("422 Session Interval Too Small", "Min-SE: 600\n")}
<recv request="ACK"/>
<recv request="INVITE"><action>${checksIn("^ *600$", "Session-Expires")}
${checksIn("^ *600$", "Min-SE")}</action></recv>
${response("200 OK", "Require: timer\nSession-Expires: 600;refresher=uac\n", sdp)}
<recv request="ACK"/>${bye}<Reference variables="checked"/>`,
);

const timer = (refresher: "uac" | "uas", seconds = 2) =>
  `Session-Expires: ${seconds};refresher=${refresher}\n`;

/** A carrier that refreshes the session once, and then leaves it to end. */
export const refreshing = scenario(
  "refreshing",
  `${called}${response("200 OK", `Require: timer\n${timer("uas")}`, sdp)}<recv request="ACK"/>
${within("INVITE", 1, `Supported: timer\n${timer("uac")}`, sdp)}
${accepted(checks("2;refresher=uac", "Session-Expires"))}${within("ACK", 1)}
${bye}${references}`,
);

/**
 * A carrier that accepts one refresh by a method, and answers the second one with 481. Each refresh
 * has half of the session's time to be answered, on a machine that may be busy.
 */
export const refreshed = (method: "INVITE" | "UPDATE") =>
  scenario(
    "refreshed",
    `${called}${
      response(
        "200 OK",
        `Allow: INVITE, ACK, BYE, ${method}\nRequire: timer\n${timer("uac", 6)}`,
        sdp,
      )
    }<recv request="ACK"/>
<recv request="${method}">${checks("6;refresher=uac", "Session-Expires")}</recv>${
      again(response("200 OK", timer("uac", 6), method === "INVITE" ? sdp : ""))
    }
${method === "INVITE" ? '<recv request="ACK"/>' : ""}
<recv request="${method}"/>${again(response("481 Call Does Not Exist"))}
${method === "INVITE" ? '<recv request="ACK"/>' : ""}${bye}${references}`,
  );

/** A response in a dialog, whose To has its tag already. */
const again = (text: string) => text.replace(";tag=[pid]t[call_number]", "");
