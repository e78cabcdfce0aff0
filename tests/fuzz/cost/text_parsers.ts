import { flowProblems } from "../../../core/model/flows/check_flow.ts";
import { parseDocument } from "../../../core/markup/parse.ts";
import { parseAddress } from "../../../core/model/values/address.ts";
import { cellsOf } from "../../../core/model/values/csv.ts";
import { customHeaders } from "../../../core/model/values/custom_headers.ts";
import { formsOf, readsAsNumber } from "../../../core/model/values/dialled.ts";
import { clientAddress, clientUsesTls } from "../../../core/machine/net/client_address.ts";
import { takesGzip } from "../../../core/machine/net/content_coding.ts";
import { segmentCount } from "../../../core/messages/segments.ts";
import { smartEncoded } from "../../../core/messages/smart_encoding.ts";
import { withSetCookies } from "../../../core/base/cookies.ts";
import { readMessage as readConversation } from "../../../sip/script/conversation_messages.ts";
import { readMessage as readStream } from "../../../sip/media/streams/messages.ts";
import { compiledDocument, outbound } from "../../support/service/compile_lab.ts";
import { callCentre } from "../../support/service/flow_samples.ts";
import { usualText } from "./generate.ts";
import { type Parser, textParser } from "./parser.ts";

const verb =
  '<Gather numDigits="4" action="/next" method="POST"><Say>Type your number, please.</Say></Gather>';

const markup = textParser({
  name: "markup",
  words: [
    "<",
    ">",
    "</",
    "/>",
    "<a",
    "<a>",
    "</a>",
    ' a="b"',
    ' a#="b"',
    "&amp;",
    "&#65;",
    "&#x41;",
    "&nope;",
    "&",
    ";",
    "<!--",
    "-->",
    "--",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<?xml",
    "<!",
    '"',
    "'",
    "=",
    " ",
    "\n",
    "\t",
    "a",
    "#",
    ":",
    "<Say>a</Say>",
    "<Dial><Number>+1</Number></Dial>",
    "<Pause/>",
    "<Gather/>",
    "漢",
    "\u{1f4de}",
    'xmlns:a="b"',
    "<Say/>",
    "http://a/",
    "../",
    "%",
    "?",
    "$",
  ],
  pairs: [
    ["<a>", "</a>"],
    ["<Gather>", "</Gather>"],
    ["<Say>", "</Say>"],
    ["<a#>", "</a#>"],
    ["<!--", "-->"],
    ['<a b="c">', "</a>"],
    ["<Dial>", "</Dial>"],
  ],
  sample: `<Response>${verb}<Dial timeout="20"><Number>+15550100</Number></Dial></Response>`,
  usual: (size) =>
    `<?xml version="1.0"?><Response>${
      verb.repeat(Math.min(80, Math.max(1, Math.floor((size - 200) / 2 / verb.length))))
    }<Say>${usualText(Math.min(size / 2, 4_000))}</Say><!-- ${
      usualText(Math.max(0, size / 2 - 4_000))
    } --></Response>`,
  slots: [
    (fill) => `<Response>${fill}</Response>`,
    (fill) => `<Response><Say>${fill}</Say></Response>`,
    (fill) => `<Response><Say ${fill}>a</Say></Response>`,
    (fill) => `<Response><Say voice="${fill}">a</Say></Response>`,
    (fill) => `<Response><Play>${fill}</Play></Response>`,
    (fill) => `<Response><Gather action="${fill}" hints="${fill}"/></Response>`,
    (fill) => `<Response><Dial callerId="${fill}" action="${fill}">${fill}</Dial></Response>`,
    (fill) => `<Response><Dial><Sip>${fill}</Sip></Dial></Response>`,
    (fill) => `<Response><Dial><Sip>sip:a@b?${fill}</Sip></Dial></Response>`,
    (fill) => `<Response><Dial><Number sendDigits="${fill}">${fill}</Number></Dial></Response>`,
    (fill) =>
      `<Response><Dial><Conference statusCallbackEvent="${fill}" waitUrl="${fill}">${fill}</Conference></Dial></Response>`,
    (fill) => `<Response><Sms to="${fill}" from="${fill}">${fill}</Sms></Response>`,
    (fill) =>
      `<Response><Email to="${fill}" from="a@b.test" cc="${fill}" subject="${fill}">a</Email></Response>`,
    (fill) =>
      `<Response><Connect><Stream url="${fill}"><Parameter name="a" value="${fill}"/></Stream></Connect></Response>`,
    (fill) => `<Response><Redirect>${fill}</Redirect></Response>`,
    (fill) => fill,
    (fill) => `<!--${fill}--><Response/>`,
    (fill) => `<?xml ${fill}?><Response/>`,
  ],
  read: async (text) => void await compiledDocument(parseDocument(text), outbound),
});

const ssml = textParser({
  name: "SSML",
  words: [
    "a",
    " ",
    ". ",
    "a. ",
    "<break/>",
    '<break time="1s"/>',
    "<p>a</p>",
    "<s>a</s>",
    "<w>a</w>",
    "<emphasis>a</emphasis>",
    '<sub alias="b">a</sub>',
    '<say-as interpret-as="characters">abc</say-as>',
    '<lang xml:lang="fr">a</lang>',
    "<p>",
    "</p>",
    "&amp;",
    "<x/>",
    '<prosody rate="slow">a</prosody>',
    "漢。",
    "\n",
    "<break strength='strong'/>a",
    "#",
  ],
  pairs: [
    ['<prosody rate="slow">', "</prosody>"],
    ["<p>", "</p>"],
    ["<emphasis>a", "</emphasis>"],
    ['<say-as interpret-as="characters">', "</say-as>"],
    ['<lang xml:lang="f#">', "</lang>"],
    ["<w>", "</w>"],
    ["<s>a", "b</s>"],
    ['<sub alias="aaaaaaaaaa">', "</sub>"],
    ['<prosody pitch="high" rate="slow" volume="loud">a<break/>', "</prosody>"],
  ],
  sample: '<p>Hello <emphasis level="strong">Alice</emphasis>.<break time="1s"/></p>',
  usual: (size) =>
    `<Response><Say><p>${
      `Hello <emphasis>Alice</emphasis>, the quick brown fox jumps over the lazy dog.<break time="1s"/> `
        .repeat(Math.min(200, Math.max(1, size / 200)))
    }</p>${usualText(size / 2)}</Say></Response>`,
  slots: [
    (fill) => `<Response><Say>${fill}</Say></Response>`,
    (fill) =>
      `<Response><Say><prosody rate="${"slow".repeat(60)}">${fill}</prosody></Say></Response>`,
    (fill) =>
      `<Response><Say><sub alias="${fill.replaceAll(/["<]/g, "")}">${fill}</sub></Say></Response>`,
  ],
  read: async (text) => void await compiledDocument(parseDocument(text), outbound),
});

const jsonWords = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "\\u0041",
  "a",
  '"a"',
  '"a#":1,',
  '"a":',
  "1",
  "1e9",
  "0.",
  "-",
  "null",
  "true",
  " ",
  "\n",
  "[[",
  '{"a":',
  "漢",
  "\ud800",
  '"__proto__":',
  "#",
];
const jsonPairs = [["[", "]"], ['{"a":', "}"], ['{"a#":', "}"], ['"', '"']] as const;

const stream = textParser({
  name: "messages of stream servers",
  words: jsonWords,
  pairs: jsonPairs,
  sample: '{"event":"mark","streamSid":"MZ1","mark":{"name":"one"}}',
  usual: (size) =>
    JSON.stringify({
      event: "media",
      streamSid: "MZ1",
      media: { payload: "/////w==".repeat(size / 8) },
    }).replaceAll("=", "w"),
  slots: [
    (fill) => fill,
    (fill) => `{"event":"mark","mark":{"name":"${fill}"}}`,
    (fill) => `{"event":"media","media":{"payload":"${fill}"}}`,
    (fill) => `{"event":"media","media":{"payload":"${" ".repeat(fill.length)}"}}`,
    (fill) => `{"event":"clear","a":${fill}}`,
    (fill) => `{${fill},"event":"clear"}`,
  ],
  read: readStream,
});

const conversation = textParser({
  name: "messages of conversation servers",
  words: [...jsonWords, '"type":"text",', "en-US", "http://a/", "w", "W", "0"],
  pairs: jsonPairs,
  sample: '{"type":"text","token":"Hello","last":true,"lang":"en-US","interruptible":true}',
  usual: (size) =>
    JSON.stringify({ type: "text", token: usualText(size), last: true, lang: "en-US" }),
  slots: [
    (fill) => fill,
    (fill) => `{"type":"text","token":"${fill}"}`,
    (fill) => `{"type":"text","token":"a","lang":"${fill}"}`,
    (fill) => `{"type":"play","source":"${fill}"}`,
    (fill) => `{"type":"play","source":"http://${fill}"}`,
    (fill) => `{"type":"sendDigits","digits":"${fill}"}`,
    (fill) => `{"type":"end","handoffData":${fill}}`,
    (fill) => `{"type":"${fill}"}`,
    (fill) => `{${fill},"type":"text","token":"a"}`,
  ],
  read: readConversation,
});

const cookies = textParser({
  name: "cookies of application servers",
  sizes: [500, 3_000, 8_000],
  words: [
    "=",
    ";",
    " ",
    ",",
    ":",
    "-",
    "\t",
    "a",
    "1",
    "Path=/",
    "Secure",
    "Jan",
    "GMT",
    "01",
    ".",
  ],
  pairs: [],
  sample: "session=a; Path=/; HttpOnly; Expires=Wed, 01 Jan 2031 00:00:00 GMT",
  usual: (size) => `session=${usualText(size)}; Path=/; Max-Age=3600`,
  slots: [
    (fill) => fill,
    (fill) => `${fill}=b`,
    (fill) => `a=${fill}`,
    (fill) => `a=b; ${fill}`,
    (fill) => `a=b; Path=/${fill}`,
    (fill) => `a=b; Domain=${fill}`,
    (fill) => `a=b; Expires=${fill}`,
    (fill) => `a=b; Max-Age=${fill.replaceAll(/\D/g, "9")}`,
  ],
  read: (text) =>
    withSetCookies([], [text], { url: new URL("https://app.test/a/b"), now: 0, steadyNow: 0 }),
});

const flowText = JSON.stringify(callCentre);
/** A flow of many steps. */
function usualFlow(size: number): string {
  const steps: Record<string, unknown> = {};
  let length = 40;
  for (let n = 0; length < size && n < 190; n++) {
    steps[`s${n}`] = { type: "say", text: usualText(150), next: "end" };
    length += 190;
  }
  return JSON.stringify({ start: "end", steps: { ...steps, end: { type: "hangup" } } });
}
const flow = textParser({
  name: "call flows",
  sizes: [2_000, 16_000, 40_000],
  words: [
    ...jsonWords,
    "$a",
    "$",
    "${",
    "client",
    '"type":"say"',
    '"next":"a",',
    "http://a/",
    "?a=b",
  ],
  pairs: jsonPairs,
  sample: flowText,
  usual: usualFlow,
  slots: [
    (fill) => fill,
    (fill) => `{"start":"a","steps":{${fill}}}`,
    (fill) => `{"start":"a","steps":{"a":{"type":"say","text":"${fill}"}}}`,
    (fill) => `{"start":"a","variables":{${fill}},"steps":{"a":{"type":"hangup"}}}`,
    (fill) => `{"start":"a","steps":{"a":{"type":"externalService","url":"${fill}"}}}`,
    (fill) => `{"start":"a","steps":{"a":{"type":"dial","to":[${fill}]}}}`,
    (fill) => `{"start":"a","steps":{"a":{"type":"email","to":"${fill}","from":"${fill}"}}}`,
    (fill) => `{"start":"${fill}","steps":{"${fill}":{"type":"${fill}"}}}`,
    (fill) => flowText.replace("{", `{${fill},`),
    (fill) => flowText.replace('"type":"gather",', `"type":"gather",${fill},`),
  ],
  read: flowProblems,
});

const values = textParser({
  name: "numbers, addresses and texts",
  words: [
    "+",
    "1",
    "0",
    "00",
    " ",
    "-",
    "(",
    ")",
    ".",
    "*",
    "#",
    "a",
    "@",
    ":",
    ";",
    "?",
    "=",
    "&",
    "%41",
    "%",
    "sip:",
    "client:",
    "X-a=b&",
    "X-a#=b&",
    "é",
    "漢",
    "\u{1f4de}",
    "“",
    ";transport=",
    "\t",
  ],
  sample: "sip:alice@example.com:5060;transport=tcp?X-A=b",
  usual: usualText,
  slots: [
    (fill) => fill,
    (fill) => `+${fill}`,
    (fill) => `sip:a@b?${fill}`,
    (fill) => `a@${fill}`,
    (fill) => `client:${fill}`,
    (fill) => `sip:a@b;transport=${fill}`,
  ],
  read(text) {
    parseAddress(text);
    formsOf(text, "US");
    readsAsNumber(text, "US");
    customHeaders(text);
    segmentCount(text);
    smartEncoded(text);
  },
});

const csv = textParser({
  name: "CSV",
  words: [",", '"', '""', " ", "\t", "a", '","', '"a",', "#"],
  sample: '+15550100,"Name, of it",0.01',
  usual: (size) => '1,"a",,x,'.repeat(size / 9),
  slots: [(fill) => fill, (fill) => `"${fill}`],
  read: cellsOf,
});

const forwarded = textParser({
  name: "headers of proxies",
  sizes: [2_000, 15_000],
  words: [
    "for=",
    "proto=",
    ",",
    ";",
    "=",
    '"',
    "\\",
    '\\"',
    " ",
    "[",
    "]",
    ":",
    "192.0.2.1",
    "a",
    "gzip",
    ";q=0",
    "*",
  ],
  sample: 'for="[2001:db8::1]:80";proto=https;by=203.0.113.1, for=192.0.2.1',
  usual: (size) =>
    Array.from({ length: size / 40 }, () => 'for="[2001:db8::1]:80";proto=https;by=_a').join(", "),
  slots: [(fill) => fill, (fill) => `for="${fill}`],
  read(text) {
    try {
      clientAddress({ forwarded: text, xForwardedFor: text }, () => true);
    } catch {
      // They differ.
    }
    clientUsesTls({ forwarded: text, xForwardedProto: text });
    takesGzip(text);
  },
});

export const textParsers: Parser[] = [
  markup,
  ssml,
  stream,
  conversation,
  cookies,
  flow,
  values,
  csv,
  forwarded,
];
