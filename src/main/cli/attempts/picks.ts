/** What `--pick` takes. */
export const picks = ['best', 'ask'] as const
