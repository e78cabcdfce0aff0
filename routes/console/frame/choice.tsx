/** A select of values with their titles. */
export const Choice = ({ id, name, value, options, describedBy, isWrong = false }: {
  id: string;
  name: string;
  value: string;
  options: readonly (readonly [value: string, title: string])[];
  /** The id of its description. */
  describedBy?: string;
  /** Its value was refused. */
  isWrong?: boolean;
}) => (
  <select
    id={id}
    name={name}
    aria-describedby={describedBy}
    aria-invalid={isWrong ? "true" : undefined}
    autofocus={isWrong}
  >
    {options.map(([one, title]) => <option value={one} selected={one === value}>{title}</option>)}
  </select>
);
