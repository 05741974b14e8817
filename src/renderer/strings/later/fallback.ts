/** Words of the line in a chat about a model that took over. */
export const fallbackStrings = {
  title: 'Another model answers',
  tookOver: (from: string, to: string) => `${from} could not answer. ${to} answers until this run ends.`,
  why: 'Why',
} as const
