/**
 * Words that readers search for, each with those that the documentation has in their place. A search
 * finds a section by any word of a row.
 */
const rows: readonly (readonly string[])[] = [
  ["voicemail", "voice mail"],
  ["docker", "podman", "container", "image", "containerfile", "compose"],
  ["kubernetes", "k8s", "helm", "container"],
  ["sms", "text message", "texts", "messages"],
  ["mms", "mediaurl"],
  ["2fa", "mfa", "totp", "otp", "authenticator", "second factor"],
  ["webhook", "callback", "status callback"],
  ["did", "phone number", "phonenumber"],
  ["extension", "client"],
  ["endpoint", "resource"],
  ["softphone", "webrtc", "browser phone"],
  ["call queue", "acd", "queue"],
  ["hold music", "music on hold", "moh", "waiturl"],
  ["apikey", "api key", "keys"],
  ["password", "credentials", "authtoken"],
  ["signin", "login", "log in", "sign in"],
  ["ssl", "tls", "https", "certificate"],
  ["renewal", "renew"],
  ["letsencrypt", "let's encrypt", "acme", "certbot", "caddy"],
  ["firewall", "ports"],
  ["rate limit", "429", "too many requests", "throttle"],
  ["billing", "invoice", "price", "pricing", "cost", "rates"],
  ["fraud", "toll fraud", "spending limit", "stolen key"],
  ["carrier", "sip trunk", "trunk", "gateway", "provider"],
  ["caller id", "callerid", "from number", "outgoingcallerid"],
  ["ivr", "menu", "gather"],
  ["dtmf", "keypad", "keys pressed", "digits"],
  ["tts", "text to speech", "text-to-speech", "say"],
  ["stt", "speech to text", "speech recognition", "transcription", "transcribe"],
  ["ai agent", "voice agent", "voicebot", "conversation relay", "conversationrelay"],
  ["websocket stream", "audio stream", "media stream"],
  ["amd", "answering machine detection", "machinedetection"],
  ["high availability", "failover", "cluster", "several services", "shared store"],
  ["database", "store", "deno kv"],
  ["dead letter", "replay", "deliveries"],
  ["hmac", "signature", "verify"],
  ["gdpr", "erasure", "delete personal", "erasures"],
  ["cdr", "call log", "call detail record", "calls"],
  ["monitoring", "prometheus", "grafana", "metrics", "alerts"],
  ["debug", "troubleshoot", "symptom"],
  ["install", "installation", "setup", "set up"],
  ["env", "environment variable", "configuration", "settings"],
  ["studio", "flow", "designer"],
  ["tenant", "subaccount", "sub-account"],
  ["hangup", "hang up"],
  ["blacklist", "blocklist", "block"],
  ["dashboard", "console"],
  ["sdk", "client library", "helper library", "typescript client"],
  ["swagger", "openapi"],
];

/**
 * The words and phrases, in lower case, of which a section has to have one for a word of a query. The
 * plural of a word stands for the word.
 */
export function alternativesOf(word: string): string[] {
  const single = word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word;
  const others = rows.filter((row) => row.includes(word) || row.includes(single)).flat();
  return [...new Set([single, ...others])];
}

/** The words of a query in lower case; phrases that have alternatives stay whole. */
export function wordsOf(query: string): string[] {
  let left = ` ${query.toLowerCase().replaceAll(/[\s"'“”„?!,;]+/g, " ").trim()} `;
  const phrases = rows.flat().filter((one) => one.includes(" "));
  const words: string[] = [];
  for (const phrase of phrases) {
    if (words.includes(phrase) || !left.includes(` ${phrase} `)) continue;
    words.push(phrase);
    left = left.replace(` ${phrase} `, " ");
  }
  return [...words, ...left.split(" ").filter((word) => word !== "")];
}
