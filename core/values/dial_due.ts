/** When a call is to be placed, in ms: at once, unless it validates a number later. */
export const dialDueAt = (
  { dateCreated, validation }: {
    dateCreated: number;
    validation: { delayS?: number | undefined } | null;
  },
): number => dateCreated + (validation?.delayS ?? 0) * 1_000;
