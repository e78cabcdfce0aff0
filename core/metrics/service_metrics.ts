import { Counter, Gauge, Histogram } from "prom-client";
import { durationBuckets, registry } from "./registry.ts";

/**
 * Metrics of the service. No label is of an account, a number or a Sid: the values of each label
 * are few and fixed (https://prometheus.io/docs/practices/naming/).
 */

const registers = [registry];

export const httpRequests = new Counter({
  name: "switchboard_http_requests_total",
  help: "Requests to the REST interface, by method, route and status.",
  labelNames: ["method", "route", "status"] as const,
  registers,
});

export const httpDuration = new Histogram({
  name: "switchboard_http_request_duration_seconds",
  help: "Time from a request to its response, by method and route.",
  labelNames: ["method", "route"] as const,
  buckets: durationBuckets,
  registers,
});

export const callsCreated = new Counter({
  name: "switchboard_calls_created_total",
  help: "Calls that were created, by direction.",
  labelNames: ["direction"] as const,
  registers,
});

export const callsEnded = new Counter({
  name: "switchboard_calls_ended_total",
  help: "Calls that have ended, by direction and final status.",
  labelNames: ["direction", "status"] as const,
  registers,
});

export const callPlacing = new Histogram({
  name: "switchboard_call_placing_seconds",
  help:
    "Time from the request that creates a call until a companion has its order to send the INVITE.",
  buckets: durationBuckets,
  registers,
});

export const messagesCreated = new Counter({
  name: "switchboard_messages_created_total",
  help: "Texts that were created, by direction.",
  labelNames: ["direction"] as const,
  registers,
});

export const webhookAttempts = new Counter({
  name: "switchboard_webhook_attempts_total",
  help:
    "Attempts to deliver a status callback, by outcome: 2xx to 5xx, or none without a response.",
  labelNames: ["outcome"] as const,
  registers,
});

export const webhookDuration = new Histogram({
  name: "switchboard_webhook_attempt_duration_seconds",
  help: "Time of one attempt to deliver a status callback.",
  buckets: durationBuckets,
  registers,
});

export const commits = new Histogram({
  name: "switchboard_kv_commit_duration_seconds",
  help: "Time of a commit of the store, by outcome: made, refused (a check failed), failed.",
  labelNames: ["outcome"] as const,
  buckets: durationBuckets,
  registers,
});

export const storeWritable = new Gauge({
  name: "switchboard_store_writable",
  help: "1 while commits of the store succeed, 0 while they fail, as on a full disk.",
  registers,
});

export const storeFailures = new Counter({
  name: "switchboard_store_failures_total",
  help: "Writes that failed for the sake of the store: " +
    "full, readonly, io, locked, unreachable, other.",
  labelNames: ["kind"] as const,
  registers,
});

export const jobs = new Gauge({
  name: "switchboard_jobs",
  help: "Jobs of the store, by kind and state: waiting, due, leased, dead.",
  labelNames: ["kind", "state"] as const,
  registers,
});

export const jobDelay = new Gauge({
  name: "switchboard_job_delay_seconds",
  help: "For how long the oldest job of a kind is due and not begun.",
  labelNames: ["kind"] as const,
  registers,
});

export const companions = new Gauge({
  name: "switchboard_companions",
  help: "Companions that send heartbeats, by state: ready, draining.",
  labelNames: ["state"] as const,
  registers,
});
