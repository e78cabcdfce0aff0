/** One request of the reference, with the data of its example. */
export interface ExampleRequest {
  method: string;
  /** The URL, with `{AccountSid}` and other path parameters as placeholders. */
  url: string;
  body?: Record<string, unknown> | undefined;
  needsCredentials: boolean;
  /** True for a response in JSON. */
  isJson: boolean;
}

/** The same request in three languages. */
export const examplesOf = (request: ExampleRequest): [language: string, code: string][] => [
  ["curl", curl(request)],
  ["Node.js", node(request)],
  ["Python", python(request)],
];

/** A path parameter as a variable: AccountSid is ACCOUNT_SID. */
const variable = (name: string): string =>
  name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();

const filled = (url: string, write: (name: string) => string): string =>
  url.replaceAll(/\{(\w+)\}/g, (_, name) => write(variable(name)));

const text = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value);

/** Within single quotes of a shell. */
const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

function curl({ method, url, body, needsCredentials }: ExampleRequest): string {
  const fields = Object.entries(body ?? {}).map(([name, value]) =>
    `--data-urlencode ${quoted(`${name}=${text(value)}`)}`
  );
  const lines = [
    `curl ${method === "GET" || method === "POST" && fields.length > 0 ? "" : `-X ${method} `}` +
    `"${filled(url, (name) => `$${name}`)}"`,
    ...(needsCredentials ? ['-u "$ACCOUNT_SID:$AUTH_TOKEN"'] : []),
    ...fields,
  ];
  return lines.join(" \\\n  ");
}

function node({ method, url, body, needsCredentials, isJson }: ExampleRequest): string {
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}",`]),
    ...(needsCredentials
      ? ["headers: {", "  Authorization: `Basic ${btoa(`${ACCOUNT_SID}:${AUTH_TOKEN}`)}`,"]
      : []),
    ...(needsCredentials && body ? ['  "Content-Type": "application/json",'] : []),
    ...(needsCredentials ? ["},"] : []),
    ...(body ? [`body: JSON.stringify(${indented(JSON.stringify(body, null, 2), 2)}),`] : []),
  ];
  const address = filled(url, (name) => `\${${name}}`);
  const literal = address === url ? `"${url}"` : `\`${address}\``;
  const given = needsCredentials ? `const { ${namesIn(url).join(", ")} } = process.env;\n\n` : "";
  const inner = options.map((line) => `  ${line}`).join("\n");
  const request = options.length > 0 ? `${literal}, {\n${inner}\n}` : literal;
  return `${given}const response = await fetch(${request});\n` +
    "if (!response.ok) throw new Error(await response.text());" +
    (isJson ? "\nconsole.log(await response.json());" : "");
}

function python({ method, url, body, needsCredentials, isJson }: ExampleRequest): string {
  const address = filled(url, (name) => `{os.environ['${name}']}`);
  const literal = address === url ? `"${url}"` : `f"${address}"`;
  const options = [
    literal,
    ...(needsCredentials ? ['auth=(os.environ["ACCOUNT_SID"], os.environ["AUTH_TOKEN"])'] : []),
    ...(body ? [`json=${indented(pythonOf(body), 4)}`] : []),
  ];
  const imports = needsCredentials ? "import os\n\nimport requests\n" : "import requests\n";
  return `${imports}\nresponse = requests.${method.toLowerCase()}(\n` +
    options.map((one) => `    ${one},\n`).join("") + ")\nresponse.raise_for_status()" +
    (isJson ? "\nprint(response.json())" : "");
}

/** The variables that an example with credentials reads. */
const namesIn = (url: string): string[] => [
  ...new Set([
    "ACCOUNT_SID",
    "AUTH_TOKEN",
    ...[...url.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => variable(name)),
  ]),
];

const indented = (lines: string, by: number): string =>
  lines.replaceAll("\n", "\n" + " ".repeat(by));

/** A value as a literal of Python. */
function pythonOf(value: Record<string, unknown>): string {
  const entries = Object.entries(value).map(([name, one]) => {
    const literal = one === true ? "True" : one === false ? "False" : JSON.stringify(one);
    return `    ${JSON.stringify(name)}: ${literal},`;
  });
  return `{\n${entries.join("\n")}\n}`;
}
