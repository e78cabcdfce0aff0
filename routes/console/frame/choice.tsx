/** A select of values with their titles. */
export const Choice = ({ id, name, value, options }: {
  id: string;
  name: string;
  value: string;
  options: readonly (readonly [value: string, title: string])[];
}) => (
  <select id={id} name={name}>
    {options.map(([one, title]) => <option value={one} selected={one === value}>{title}</option>)}
  </select>
);
