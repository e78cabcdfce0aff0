import { type Choices, type Field, Inputs, isNamed } from "../frame/form.tsx";

/** Forms with more settings show the usual ones first. */
const [mostSettings, usual] = [
  12,
  /^(FriendlyName|StatusCallback|(Voice|Sms)(Url|ApplicationSid))$/,
];

/** The inputs of the settings of a record; those of a long form that are rarely changed are folded. */
export function Settings({ fields, values, choices, problem }: {
  fields: Field[];
  values: Record<string, string>;
  choices: Choices;
  problem?: string | undefined;
}) {
  const isLong = fields.length > mostSettings;
  const first = fields.filter(({ name }) => !isLong || usual.test(name));
  const others = fields.filter((one) => !first.includes(one));
  return (
    <>
      <Inputs fields={first} values={values} choices={choices} problem={problem} />
      {others.length > 0 && (
        <details open={others.some(({ name }) => isNamed(name, problem ?? ""))}>
          <summary>More settings</summary>
          <Inputs fields={others} values={values} choices={choices} problem={problem} />
        </details>
      )}
    </>
  );
}
