/**
 * The SDP answer of a phone without media: well-formed, PCMU, and with an unused address, so that
 * signalling can go on without audio.
 */
export function webrtcAnswer(offer: string): string {
  const mid = /^a=mid:(\S+)/m.exec(offer)?.[1] ?? "0";
  return [
    "v=0",
    "o=phone 1 1 IN IP4 127.0.0.1",
    "s=-",
    "t=0 0",
    `a=group:BUNDLE ${mid}`,
    "m=audio 9 UDP/TLS/RTP/SAVPF 0",
    "c=IN IP4 0.0.0.0",
    "a=rtcp-mux",
    `a=mid:${mid}`,
    "a=sendrecv",
    "a=rtpmap:0 PCMU/8000",
    "a=ice-ufrag:abcd",
    "a=ice-pwd:abcdefghijklmnopqrstuvwx",
    `a=fingerprint:sha-256 ${Array(32).fill("AB").join(":")}`,
    "a=setup:active",
    "",
  ].join("\r\n");
}
