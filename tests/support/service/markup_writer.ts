import { verbs } from "../../../core/markup/verbs/mod.ts";

const names = [
  ...verbs.keys(),
  "Client",
  "Number",
  "Sip",
  "Uri",
  "Say",
  "Queue",
  "Immediate",
  "Notification",
  "x:y",
  "ünï",
  "a",
];
const attributes = [
  "loop length digits method action timeout timeLimit callerId hangupOnStar reason finishOnKey",
  "numDigits input language hints partialResultCallback startInputKey url statusCallback sendDigits",
  "statusCallbackEvent username password xmlns constructor __proto__ toString",
  "to from cc bcc subject deviceIdentifier statusCallbackMethod geofenceRange geofenceEvent",
].flatMap((line) => line.split(" "));
const values = [
  "",
  "0",
  "1",
  "-1",
  "5",
  "1e9",
  "999999999999",
  "true",
  "dtmf speech",
  "speech",
  "#",
  "12w",
  "http://app.test/x",
  "//b.test",
  "../..",
  "ftp://x",
  "javascript:1",
  "client:bob",
  "bob@x.test",
  "+15550001",
  "sip:a@b:99999",
  "%zz",
  "&amp;&lt;&#65;",
  "&#x110000;",
  "&#xD800;",
  "&nope;",
  "\u0000",
  "\u2028",
  "\ud83d\ude00",
  "a".repeat(300),
  "bob?X-A=1&amp;X-B=%0d",
  "GET",
  "get",
];
const scraps = [
  "<",
  ">",
  "</",
  "/>",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "<?",
  "?>",
  "<!DOCTYPE x [",
  "<!ENTITY a 'b'>",
  '"',
  "'",
  "=",
  "&",
  "&#",
  ";",
  "<Response>",
  "</Response>",
  "\u0000",
  "\ufeff",
  "<a ".repeat(50),
  "<a>".repeat(120),
  "]]".repeat(100),
  "&amp;".repeat(200),
  " ".repeat(2_000),
];

/** A document that is often well-formed, and then as often broken somewhere. */
export function markupWriter(random: () => number) {
  const below = (count: number) => Math.floor(random() * count);
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const several = (most: number, write: () => string) =>
    Array.from({ length: below(most + 1) }, write).join("");
  const attribute = () => ` ${one(attributes)}="${one(values)}"`;
  const element = (depth: number): string => {
    const name = one(names);
    const inner = depth === 0 ? one(values) : several(3, () => element(depth - 1)) + one(values);
    return `<${name}${several(2, attribute)}>${inner}</${name}>`;
  };
  const whole = () => `<Response>${several(4, () => element(below(3)))}</Response>`;
  const broken = (text: string): string => {
    const at = below(text.length);
    if (below(3) === 0) return text.slice(0, at) + one(scraps) + text.slice(at);
    if (below(2) === 0) return text.slice(0, at) + text.slice(at + below(20));
    return text.slice(0, at) + text.slice(below(text.length)).slice(0, below(60)) + text.slice(at);
  };
  return () => {
    let text = whole();
    for (let times = Math.max(0, below(6) - 2); times > 0; times--) text = broken(text);
    return text.slice(0, 64 << 10);
  };
}
