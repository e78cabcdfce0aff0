/** A select of values with their titles. */
export const Choice = ({ id, name, value, options, describedBy }: {
  id: string;
  name: string;
  value: string;
  options: readonly (readonly [value: string, title: string])[];
  /** The id of what explains it. */
  describedBy?: string;
}) => (
  <select id={id} name={name} aria-describedby={describedBy}>
    {options.map(([one, title]) => <option value={one} selected={one === value}>{title}</option>)}
  </select>
);
