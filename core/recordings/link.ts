/**
 * Addresses of audio. Programs for Twilio store `RecordingUrl` and show it later. A signed URL ends after
 * a day and is too long for a text of one part; one without an end could not be withdrawn; the plain
 * address without credentials, as at Twilio, would let its Sid alone open the audio. So calls of
 * `/2010-04-01` have the plain address of that interface, with credentials (or RECORDINGS_PUBLIC). E-mails
 * of flows and of `Email`, and `Play`, get a signed URL in its place. Calls of `/2012-04-24` keep the
 * signed URL. The Recording remembers the interface of its call as its ApiVersion.
 */
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Collection } from "../model/store.ts";
import type { Recording } from "../model/resources/recordings.ts";

/** Path of the audio of a recording, below the base URL. */
const audioPath = (accountSid: string, sid: string) =>
  `/${limits.apiVersion}/Accounts/${accountSid}/Recordings/${sid}.wav`;

const signed = (path: string, expires: string) => `GET ${path} ${expires}`;

type LinkPorts = Pick<Ports, "signer" | "now" | "settings">;

/**
 * A link that works without credentials for `settings.recordingLinkMs`, rounded up to a whole hour
 * so that one that was just handed out stays the same.
 */
export async function linkTo(
  { accountSid, sid }: Pick<Recording, "accountSid" | "sid">,
  ports: LinkPorts,
): Promise<string> {
  const path = audioPath(accountSid, sid);
  const { baseUrl, recordingsPublic, recordingLinkMs } = ports.settings;
  if (recordingsPublic) return baseUrl + path;
  const hour = 3_600_000;
  const expires = Math.ceil((ports.now() + recordingLinkMs) / hour) * hour / 1_000;
  const signature = await ports.signer.sign(signed(path, String(expires)));
  return `${baseUrl}${path}?Expires=${expires}&Signature=${signature}`;
}

/** A recording as its addresses need it. */
type Addressed = Pick<Recording, "accountSid" | "sid" | "apiVersion">;

/**
 * The address of a recording that lasts as long as the recording, at the interface of Twilio's libraries.
 * It asks for credentials unless `settings.recordingsPublic`.
 */
export const lastingUrl = (
  { accountSid, sid }: Pick<Recording, "accountSid" | "sid">,
  { settings }: Pick<Ports, "settings">,
): string =>
  `${settings.baseUrl}/${limits.twilioApiVersion}/Accounts/${accountSid}/Recordings/${sid}`;

/** The address of a recording in callbacks: programs for Twilio keep it, so theirs lasts. */
export const callbackUrl = async (recording: Addressed, ports: LinkPorts): Promise<string> =>
  recording.apiVersion === limits.twilioApiVersion
    ? lastingUrl(recording, ports)
    : await linkTo(recording, ports);

/** Endings that programs for Twilio append to a link, behind the signature. */
export const appendedFormat = /(?<=[?&]Signature=[^&]*)\.(wav|mp3)$/;

/**
 * True for the query of a link to the audio whose signature fits and is fresh. A format may be
 * appended to it.
 */
export async function isSigned(
  { accountSid, sid }: { accountSid: string; sid: string },
  query: URLSearchParams,
  ports: LinkPorts,
): Promise<boolean> {
  const expires = query.get("Expires") ?? "";
  const signature = (query.get("Signature") ?? "").replace(/\.(?:wav|mp3)$/, "");
  if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1_000 < ports.now()) return false;
  return await ports.signer.verify(signed(audioPath(accountSid, sid), expires), signature);
}

/** A recording with its links, as it leaves the service. */
export async function linked(
  recording: Recording,
  ports: LinkPorts & Pick<Ports, "blobs">,
): Promise<Recording> {
  const { accountSid, sid, isStored } = recording;
  const isInS3 = isStored && ports.settings.recordingsOpenInS3;
  return {
    ...recording,
    fileUri: await linkTo(recording, ports),
    s3Uri: isInS3 ? await ports.blobs.link(accountSid, sid, "GET") : null,
  };
}

/** Links that are signed at once. */
const linksAtOnce = 50;

/** Recordings with their links. */
export function withLinks(
  records: Collection<Recording>,
  ports: LinkPorts & Pick<Ports, "blobs">,
): Collection<Recording> {
  return {
    ...records,
    async get(accountSid, sid) {
      const recording = await records.get(accountSid, sid);
      return recording && await linked(recording, ports);
    },
    async list(accountSid, query) {
      const { items, total } = await records.list(accountSid, query);
      const shown: Recording[] = [];
      // Other threads sign: a thousand at once would block the event loop.
      for (let at = 0; at < items.length; at += linksAtOnce) {
        const some = items.slice(at, at + linksAtOnce);
        shown.push(...await Promise.all(some.map((one) => linked(one, ports))));
      }
      return { items: shown, total };
    },
  };
}
