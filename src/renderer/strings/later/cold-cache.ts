/** Words of the line above the message box about a cache that is gone. */
export const coldCacheStrings = {
  tokens: (tokens: string) => `This re-reads ${tokens} tokens.`,
  priced: (tokens: string, cost: string) => `This re-reads ${tokens} tokens: about ${cost}.`,
  because: {
    time: 'The last request is older than 5 minutes, so its cache is gone.',
    model: 'This model has not read the conversation yet.',
  },
} as const
