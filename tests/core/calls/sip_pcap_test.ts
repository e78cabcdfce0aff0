import assert from "node:assert/strict";
import { ladderText } from "../../../core/calls/sip_ladder.ts";
import { sipPcap } from "../../../core/calls/sip_pcap.ts";
import { needs } from "../../support/process/programs.ts";
import type { Trace, TracedMessage } from "../../../core/protocol/traces.ts";

const local = { host: "192.0.2.1", port: 5060 };
const begin = Date.UTC(2026, 0, 1);

/** A call that is refused, and one by IPv6 whose local end is known by a name. */
const trace: Trace = {
  dropped: 0,
  messages: ([
    ["sent", "UDP", "198.51.100.7", "INVITE sip:bob@sip.test SIP/2.0"],
    ["received", "UDP", "198.51.100.7", "SIP/2.0 486 Busy Here"],
    ["sent", "TLS", "2001:db8::7", "ACK sip:bob@sip.test SIP/2.0"],
  ] as const).map(([direction, transport, host, line], at): TracedMessage => ({
    at: begin + at * 25,
    direction,
    transport,
    local,
    remote: { host, port: 40_000 },
    text:
      `${line}\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1\r\nFrom: <sip:a@sip.test>;tag=1\r\n` +
      "To: <sip:bob@sip.test>\r\nCall-ID: one\r\nCSeq: 1 INVITE\r\nContent-Length: 0\r\n\r\n",
  })),
};

const tshark = "tshark reads the SIP dialog in the pcap of a trace, and finds every checksum right";
Deno.test({ ...needs("tshark"), name: tshark, fn: readByTshark });

async function readByTshark() {
  const file = await Deno.makeTempFile({ suffix: ".pcap" });
  try {
    await Deno.writeFile(file, sipPcap(trace));
    const fields = ["ip.src", "ipv6.dst", "udp.dstport", "sip.Method", "sip.Status-Code"];
    const { success, stdout, stderr } = await new Deno.Command("tshark", {
      args: [
        ...["-n", "-r", file, "-T", "fields", "-E", "separator=|"],
        ...["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"],
        ...[...fields, "ip.checksum.status", "udp.checksum.status", "frame.time_epoch"].flatMap(
          (field) => ["-e", field],
        ),
      ],
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert.ok(success, new TextDecoder().decode(stderr));

    const rows = text.trim().split("\n").map((line) => line.split("|"));
    assert.deepEqual(rows.map((row) => row.slice(0, 5)), [
      ["192.0.2.1", "", "40000", "INVITE", ""],
      ["198.51.100.7", "", "5060", "", "486"],
      ["", "2001:db8::7", "40000", "ACK", ""],
    ]);
    assert.deepEqual(rows.map((row) => row.slice(5, 7)), [["1", "1"], ["1", "1"], ["", "1"]]);
    assert.equal(Number(rows[1]![7]), begin / 1_000 + 0.025);
  } finally {
    await Deno.remove(file);
  }
}

Deno.test("a ladder draws each message from its sender to its recipient", () => {
  const [head, first, second, third] = ladderText(trace).split("\n");
  assert.match(head!, /Switchboard +198\.51\.100\.7:40000 +\[2001:db8::7\]:40000/);
  assert.match(first!, /^ +0\.000 +\|-+ INVITE -+>\| +\| +UDP$/);
  assert.match(second!, /^ +0\.025 +\|<-+ 486 Busy Here -+\| +\| +UDP$/);
  assert.match(third!, /^ +0\.050 +\|-+ ACK -+>\| +TLS$/);
});
