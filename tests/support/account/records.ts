import { newBase, withDefaults } from "../../../core/model/resource.ts";
import { type Call, calls } from "../../../core/model/resources/calls.ts";
import { deliveries, type Delivery } from "../../../core/model/resources/deliveries.ts";
import {
  type DocumentRequest,
  documentRequests,
} from "../../../core/model/resources/document_requests.ts";
import { type Notification, notifications } from "../../../core/model/resources/notifications.ts";
import type { App } from "../service/app.ts";

export const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** The customer's server. */
export const server = "https://voice.example.com";

/** Inserts a call of now, with its charge. */
export async function insertCall(app: App, sent: Partial<Call>): Promise<Call> {
  const call = { ...newBase(calls, app.root.sid, app.ports), ...withDefaults(calls, sent) } as Call;
  const priceMicros = Number(call.price ?? 0) * 1e6;
  await app.ports.records.calls.insert({
    record: call,
    ...priceMicros > 0 && {
      charges: [{
        category: "calls",
        priceMicros: Math.round(priceMicros),
        usage: Math.ceil((call.duration ?? 0) / 60),
        at: call.endTime ?? app.clock.now,
      }],
    },
  });
  return call;
}

/** Inserts a notification of now. */
export async function notice(app: App, sent: Partial<Notification>): Promise<void> {
  const record: Notification = {
    ...newBase(notifications, app.root.sid, app.ports),
    callSid: null,
    apiVersion: "2012-04-24",
    log: 0,
    errorCode: 11210,
    moreInfo: `/errors/${sent.errorCode ?? 11210}`,
    messageText: "",
    messageDate: app.clock.now,
    requestUrl: null,
    requestMethod: "POST",
    requestVariables:
      "CallSid=CA019f2b7c0d1e4c5f8a9b0c1d2e3f4a5b&From=%2B12125550177&To=%2B12125550100",
    responseHeaders: "content-type: text/html\nserver: nginx",
    responseBody: "<html><body><h1>502 Bad Gateway</h1></body></html>",
    requestId: "7f1c2f0e",
    ...sent,
  };
  await app.ports.records.notifications.insert({ record });
}

/** Inserts the Delivery of a callback about a call. */
export async function deliver(app: App, call: Call, status: Delivery["status"]): Promise<Delivery> {
  const startTime = app.clock.now + 900;
  const good = {
    startTime,
    duration: 41,
    status: 200,
    responseHeaders: "content-type: text/plain",
    responseBody: "ok",
    error: null,
  };
  const bad = {
    ...good,
    duration: 15_000,
    status: null,
    responseHeaders: null,
    responseBody: null,
    error: "no complete response within 15 s",
  };
  const attempts = status === "delivered"
    ? [good]
    : status === "failed"
    ? Array.from({ length: 6 }, (_, at) => ({ ...bad, startTime: startTime + 20_000 * 2 ** at }))
    : [];
  const record: Delivery = {
    ...newBase(deliveries, app.root.sid, app.ports),
    status,
    url: `${server}/events/call-status?tenant=acme&environment=production`,
    method: "POST",
    requestVariables: {
      CallSid: call.sid,
      CallStatus: call.status,
      From: call.from,
      To: call.to,
      Direction: call.direction,
    },
    event: "call.completed",
    callSid: call.sid,
    messageSid: null,
    attemptCount: attempts.length,
    attempts,
    startTime,
    apiVersion: "2012-04-24",
    requestId: null,
    credentials: null,
  };
  await app.ports.records.deliveries.insert({ record });
  return record;
}

/** Inserts a request for markup, and resolves with its Sid. */
export async function document(
  app: App,
  callSid: string,
  sent: Partial<DocumentRequest>,
): Promise<string> {
  const record: DocumentRequest = {
    ...newBase(documentRequests, app.root.sid, app.ports),
    callSid,
    url: `${server}/ivr/main-menu`,
    method: "POST",
    requestVariables: {
      CallSid: callSid,
      From: "+12125550177",
      To: "+12125550100",
      CallStatus: "in-progress",
    },
    startTime: app.clock.now,
    duration: 38,
    status: 200,
    responseHeaders: "content-type: text/xml",
    responseBody: '<Response><Say>Welcome to Acme.</Say><Gather numDigits="1"/></Response>',
    verbs: "Say, Gather",
    skipped: null,
    error: null,
    ...sent,
  };
  await app.ports.records.documentRequests.insert({ record });
  return record.sid;
}
