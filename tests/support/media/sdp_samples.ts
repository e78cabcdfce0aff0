import type { Encoding, Session, WebrtcAudio } from "../../../sip/media/sdp/sdp.ts";

/** Offer of a browser for audio and video, cut down to the lines that matter. */
export const BROWSER_OFFER = [
  "v=0",
  "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE a1 v1",
  "a=extmap-allow-mixed",
  "m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126",
  "c=IN IP4 0.0.0.0",
  "a=rtcp:9 IN IP4 0.0.0.0",
  "a=candidate:1 1 udp 2122260223 192.0.2.7 50001 typ host generation 0 network-id 1",
  "a=candidate:2 1 udp 2122194687 d1a7b3c5-1111-4222-8333-444455556666.local 50002 typ host",
  "a=candidate:3 1 udp 1686052607 2001:db8::1 50003 typ srflx raddr 192.0.2.7 rport 50001",
  "a=candidate:4 1 tcp 1518280447 192.0.2.7 9 typ host tcptype active",
  "a=ice-ufrag:Xy9k",
  "a=ice-pwd:Zr5mUQfSg0d3mS0bJm3pVvKc",
  "a=ice-options:trickle",
  `a=fingerprint:sha-256 0A:${"BC:".repeat(30)}EF`,
  "a=setup:actpass",
  "a=mid:a1",
  "a=sendrecv",
  "a=rtcp-mux",
  "a=rtpmap:111 opus/48000/2",
  "a=rtpmap:0 PCMU/8000",
  "a=rtpmap:8 PCMA/8000",
  "a=rtpmap:13 CN/8000",
  "a=rtpmap:110 telephone-event/48000",
  "a=rtpmap:126 telephone-event/8000",
  "m=video 9 UDP/TLS/RTP/SAVPF 96",
  "a=mid:v1",
  "",
].join("\r\n");

/** Our transport's side of a session, as if gathered on the loopback. */
export const OUR_SIDE: Session<WebrtcAudio> = {
  id: "42",
  version: 0,
  bundled: true,
  protocol: "UDP/TLS/RTP/SAVPF",
  before: [],
  after: [],
  audio: {
    kind: "webrtc",
    mid: "a1",
    direction: "sendrecv",
    setup: "active",
    ufrag: "abcd",
    password: "0123456789012345678901",
    fingerprint: `sha-256 ${"11:".repeat(31)}22`,
    candidates: ["1 1 UDP 2114977791 127.0.0.1 40000 typ host"],
    formats: new Map<Encoding, number>([["PCMU", 0], ["PCMA", 8], ["telephone-event", 101]]),
  },
};

/** Offer of a trunk. */
export const TRUNK_OFFER = [
  "v=0",
  "o=trunk 1 1 IN IP4 192.0.2.9",
  "s=call",
  "c=IN IP4 192.0.2.9",
  "t=0 0",
  "m=audio 4000 RTP/AVP 18 8 0 101",
  "a=rtpmap:18 G729/8000",
  "a=rtpmap:101 telephone-event/8000",
  "a=fmtp:101 0-16",
  "a=ptime:30",
  "",
].join("\r\n");
