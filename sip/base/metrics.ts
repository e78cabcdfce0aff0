import { Counter, Gauge, Histogram } from "prom-client";
import { registry } from "../../core/metrics/registry.ts";

/** Metrics of the companion. No label contains an account, a number or an address. */

const registers = [registry];

export const sipRequests = new Counter({
  name: "switchboard_sip_requests_total",
  help: "SIP requests that were sent and received, by method. Retransmissions count.",
  labelNames: ["direction", "method"] as const,
  registers,
});

export const sipResponses = new Counter({
  name: "switchboard_sip_responses_total",
  help: "SIP responses that were sent and received, by method of the request and status code.",
  labelNames: ["direction", "method", "code"] as const,
  registers,
});

export const sipTimeouts = new Counter({
  name: "switchboard_sip_transactions_timed_out_total",
  help:
    "Client transactions without a final response in time (RFC 3261, timers B and F), by method.",
  labelNames: ["method"] as const,
  registers,
});

/** Upper bounds of the times in which a phone rings and is answered, in seconds. */
const ringingBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];

export const inviteRinging = new Histogram({
  name: "switchboard_invite_ringing_seconds",
  help: "Time from an INVITE of ours to its first 180 or 183.",
  buckets: ringingBuckets,
  registers,
});

export const inviteAnswer = new Histogram({
  name: "switchboard_invite_answer_seconds",
  help: "Time from an INVITE of ours to its 200.",
  buckets: ringingBuckets,
  registers,
});

export const liveLegs = new Gauge({
  name: "switchboard_live_legs",
  help: "Legs of calls that have not ended, or whose end the service does not know yet.",
  registers,
});

export const registeredClients = new Gauge({
  name: "switchboard_registered_clients",
  help: "Clients with at least one registered device.",
  registers,
});

export const gatewayStates = new Gauge({
  name: "switchboard_gateways",
  help: "Gateways that this companion keeps registered, by state: registered, unregistered.",
  labelNames: ["state"] as const,
  registers,
});

export const shortages = new Counter({
  name: "switchboard_shortages_total",
  help: "Legs that failed for a shortage of this machine: ports (RTP_PORTS are all taken), " +
    "descriptors, sockets; or share: a tenant has its share of the ports.",
  labelNames: ["kind"] as const,
  registers,
});

export const rtpReceived = new Counter({
  name: "switchboard_rtp_packets_received_total",
  help: "RTP packets that came for legs which this companion's engine anchors.",
  registers,
});

export const rtpLost = new Counter({
  name: "switchboard_rtp_packets_lost_total",
  help: "RTP packets that did not come, by their sequence numbers (RFC 3550, A.3).",
  registers,
});

export const rtpLate = new Counter({
  name: "switchboard_rtp_packets_late_total",
  help: "RTP packets that came too late to be played, of legs whose sound was decoded.",
  registers,
});

export const rtpJitter = new Histogram({
  name: "switchboard_rtp_jitter_seconds",
  help: "Interarrival jitter of a leg (RFC 3550, A.8) at each of our RTCP reports.",
  buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2],
  registers,
});

export const openStreams = new Gauge({
  name: "switchboard_streams_open",
  help: "Audio streams that are open, by kind: connect (both ways), copy.",
  labelNames: ["kind"] as const,
  registers,
});

export const streamFramesLost = new Counter({
  name: "switchboard_stream_frames_lost_total",
  help: "Frames of 20 ms that were left out of audio streams, since their servers were slow.",
  registers,
});

export const streamProblems = new Counter({
  name: "switchboard_stream_problems_total",
  help: "What went wrong with audio streams, once for each spell, by fault.",
  labelNames: ["fault"] as const,
  registers,
});

export const openConversations = new Gauge({
  name: "switchboard_conversations_open",
  help: "Conversations by text that are under way.",
  registers,
});

export const conversationsEnded = new Counter({
  name: "switchboard_conversations_ended_total",
  help: "Conversations by text that are over, by how they ended: ended, completed, failed.",
  labelNames: ["how"] as const,
  registers,
});
