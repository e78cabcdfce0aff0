import { disconnection } from "../protocol/disconnection.ts";
import { requester } from "../model/resources/internal/call_end.ts";
import { errorProperties } from "./errors.ts";
import { closed, described, type JsonSchema, refTo } from "./schemas.ts";

const text: JsonSchema = { type: "string" };
const textOrNone: JsonSchema = { type: ["string", "null"] };
const count: JsonSchema = { type: "integer", minimum: 0 };
const ok = { type: "string", const: "ok" };
const storeText = "Whether the store can be reached and written to.";
const companionText = "Whether a companion, the SIP and media process, is connected.";
/** The schemas of responses about the service itself, and of errors. */
export const serviceSchemas: Record<string, JsonSchema> = {
  Error: described("An error of a request.", closed(errorProperties)),
  Health: described(
    "The process runs.",
    closed({ status: described("Always ok.", ok) }),
  ),
  Ready: described(
    "The service reaches what it needs.",
    closed({ store: described(storeText, ok), companion: described(companionText, ok) }),
  ),
  Unready: described(
    "Something that the service needs is out of reach.",
    closed({
      ...errorProperties,
      store: described(
        `${storeText} unwritable: its disk is full, read-only or broken; the message says which.`,
        { type: "string", enum: ["ok", "unreachable", "unwritable"] },
      ),
      companion: described(
        `${companionText} unheard: it answers, but the service accepts no heartbeat of it. ` +
          "draining: it takes no new calls, and stops once those that it has are over.",
        { type: "string", enum: ["ok", "unreachable", "unheard", "draining"] },
      ),
    }),
  ),
  CallProgress: described(
    "When a call reached its stages, and which side ended it. Dates are ISO 8601 in UTC.",
    closed({
      call_sid: described("Sid of the Call.", text),
      status: described("Status of the call.", text),
      date_created: described("When the call came in or was placed.", text),
      date_ringing: described("When the callee was first known to ring (180 or 183).", textOrNone),
      date_answered: described("When the call was answered.", textOrNone),
      date_ended: described("When the call ended.", textOrNone),
      ring_duration: described(
        "Seconds from the first ringing to the answer, or to the end without one.",
        { type: ["number", "null"] },
      ),
      disconnected_by: described(
        "Which side ended the call: service is Switchboard itself.",
        { type: ["string", "null"], enum: ["caller", "callee", "service", null] },
      ),
      disconnect_cause: described(
        "What ended the call: bye, cancel or refused by a party; any other cause is of the service.",
        { type: ["string", "null"], enum: [...disconnection.shape.cause.options, null] },
      ),
      disconnect_text: described(
        "The Reason header of the party that ended the call (RFC 3326), or what was wrong.",
        textOrNone,
      ),
      sip_response_code: described(
        "SIP status with which a call ended that was not answered.",
        { type: ["integer", "null"] },
      ),
      requested_by_sid: described(
        "Sid of the account or of the API key whose request ended the call, null for any other end.",
        textOrNone,
      ),
      requested_by_name: described(
        "E-mail address of that account, or the name of that API key; null where they are those of an account above.",
        textOrNone,
      ),
      requested_by_path: described(
        "How the request came: by this interface, by that of Twilio's libraries, or by the console of the service.",
        { type: ["string", "null"], enum: [...requester.shape.path.options, null] },
      ),
      gateway_sid: described(
        "Sid of the Gateway of the account that the call left by, once it has ended; null for any other way.",
        textOrNone,
      ),
      gateway_name: described("FriendlyName of that Gateway.", textOrNone),
    }),
  ),
  SipTrace: described(
    "The SIP messages of a call that failed, and of the calls that its Dial placed.",
    closed({
      call_sid: described("Sid of the Call.", text),
      dropped_messages: described("Older messages that were not kept.", count),
      messages: described(
        "The messages, oldest first.",
        { type: "array", items: refTo("SipTraceMessage") },
      ),
    }),
  ),
  SipTraceMessage: described(
    "A SIP message as a row of a ladder.",
    closed({
      date_sent: described("When it was sent or came, as an ISO 8601 date in UTC.", text),
      offset_ms: described("Milliseconds since the first message.", count),
      direction: described(
        "Whether the service sent or received it.",
        { type: "string", enum: ["sent", "received"] },
      ),
      transport: described("WS, WSS, UDP, TCP or TLS.", text),
      from: described("Address and port of the sender.", text),
      to: described("Address and port of the recipient.", text),
      summary: described("Method of a request; status and reason of a response.", text),
      text: described("The message without credentials, keys and bodies other than SDP.", text),
    }),
  ),
  Metrics: {
    type: "object",
    description: "The counters of the running instance.",
    properties: {
      InstanceId: described("Identity of the instance.", text),
      Version: described("Version of the service.", text),
      Revision: described("Revision of the source.", text),
      Metrics: {
        type: "object",
        description: "Counters since the start, and current numbers.",
        additionalProperties: count,
      },
      LiveCallDetails: {
        type: "array",
        description: "The live calls, with LiveCallDetails=true.",
        items: refTo("LiveCall"),
      },
    },
    required: ["InstanceId", "Version", "Revision", "Metrics"],
  },
  LiveCall: described(
    "A call that has not ended.",
    closed({
      sid: described("Sid of the Call.", text),
      account_sid: described("Sid of the account of the Call.", text),
      State: described("Status of the call.", text),
      direction: described("Direction of the call.", text),
      date_created: described("Date when the record was made (RFC 2822, in UTC).", text),
      from: described("Caller ID.", text),
      to: described("Callee.", text),
      "Initial Invite": described("Call-ID of the SIP dialog, null before there is one.", {
        type: ["string", "null"],
      }),
    }),
  ),
};
