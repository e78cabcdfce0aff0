import assert from "node:assert/strict";
import { startSipLab } from "../../support/sip/sip_lab.ts";
import { runSipp, sippTest } from "../../support/sip/sipp.ts";

const request = (method: string, extra = "") => `
${method} sip:someone@sip.test SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:alice@sip.test>;tag=[pid]t[call_number]
To: <sip:someone@sip.test>${method === "ACK" ? "[peer_tag_param]" : ""}
Call-ID: [call_id]
CSeq: ${method === "OPTIONS" ? 2 : 1} ${method}
Contact: <sip:alice@[local_ip]:[local_port]>
Max-Forwards: 70${extra}
Content-Length: 0

`;

/** A stranger whose call is challenged, and who asks what we can do. */
const stranger = `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="stranger">
<send retrans="500"><![CDATA[${request("INVITE")}]]></send>
<recv response="100" optional="true"/>
<recv response="407"/>
<send><![CDATA[${request("ACK")}]]></send>
<send retrans="500"><![CDATA[${request("OPTIONS")}]]></send>
<recv response="200"/>
</scenario>
`;

const transports = { ports: { UDP: 0, TCP: 0 } };

sippTest("sipp is served over UDP while one datagram in ten is lost each way", async () => {
  await using lab = await startSipLab({
    transports,
    admission: { unauthenticatedRequestsPerS: 0 },
  });
  const address = lab.companion.sipAddresses.get("UDP")!;

  const code = await runSipp(stranger, address, "-m", "60", "-r", "60", "-lost", "10");

  assert.equal(code, 0);
});

sippTest("sipp is served over TCP, on one connection and on many", async () => {
  await using lab = await startSipLab({
    transports,
    admission: { unauthenticatedRequestsPerS: 0 },
  });
  const address = lab.companion.sipAddresses.get("TCP")!;

  const one = await runSipp(stranger, address, "-t", "t1", "-m", "100", "-r", "100");
  const many = await runSipp(
    stranger,
    address,
    "-t",
    "tn",
    "-max_socket",
    "1000",
    "-m",
    "100",
    "-r",
    "100",
  );

  assert.deepEqual([one, many], [0, 0]);
});
