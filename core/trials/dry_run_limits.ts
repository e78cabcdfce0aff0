/** Bounds of the designer of flows. */
export const designerLimits = {
  /** Inputs of a dry run. */
  inputs: 200,
  /** Characters of a text that the simulated caller says or a simulated server answers. */
  inputLength: 16 << 10,
  /** Steps of one dry run. */
  steps: 300,
  /** Stored versions of a flow of an Application, the current one included. */
  versions: 50,
} as const;
