import { sipRequests, sipResponses } from "./metrics.ts";

/** Methods that are labels; any other one is `other`, since peers may send what they like. */
const methods = new Set(
  "INVITE ACK BYE CANCEL REGISTER OPTIONS MESSAGE INFO PRACK UPDATE REFER NOTIFY SUBSCRIBE PUBLISH"
    .split(" "),
);

const labelOf = (method: string | undefined): string =>
  method !== undefined && methods.has(method) ? method : "other";

/** Counts a SIP message by its first line, and a response by its CSeq too. */
export function countMessage(direction: "sent" | "received", text: string): void {
  const status = /^SIP\/2\.0 +(\S*)/i.exec(text)?.[1];
  if (status === undefined) {
    const method = /^([A-Z]+) /.exec(text)?.[1];
    return sipRequests.inc({ direction, method: labelOf(method) });
  }
  const method = /^CSeq[ \t]*:[ \t]*\d+[ \t]+([A-Z]+)/im.exec(text)?.[1];
  const code = /^[1-6]\d\d$/.test(status) ? status : "other";
  sipResponses.inc({ direction, method: labelOf(method), code });
}
