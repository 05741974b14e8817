import type { Effort } from '#shared/model/models/model-facts.ts'
import { formatNumber } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

/** Words for choosing a model, and how much it thinks. Fetched when a person opens the list. */
export const modelStrings = {
  search: 'Search models',
  list: 'Models',
  lastUsed: 'Last used',
  window: (tokens: string) => `${tokens} context`,
  /** US dollars per million tokens. */
  price: (input: string, output: string) => `${input} / ${output}`,
  priceHint: 'US dollars per million tokens, in / out',
  free: 'Free',
  unpriced: 'Price unknown',
  usual: 'default',
  can: { tools: 'Calls tools', images: 'Sees images', thinking: 'Thinks' },
  noTools: 'Calls no tools',
  noKey: 'no key',
  noKeyNote: (profile: string) => `There is no key for ${profile} yet. Choosing this opens Settings → Models.`,
  more: (count: number) => `${formatNumber(count)} more. Type to find one.`,
  typed: (name: string) => `Use “${name}”`,
  typedHint: 'A model that no list names, as profile/model',
  found: (count: number) => plural(count, 'model', 'models'),
  keys: 'Prices are US dollars per million tokens, in / out.',
  /** What goes missing when the thread changes to a model, in one line. */
  carry: {
    thoughts: 'Its thoughts so far are left out',
    images: (count: number) => `${plural(count, 'image is', 'images are')} not seen by this model`,
    window: (tokens: string, window: string) =>
      `the ${tokens} tokens so far do not fit into ${window} and are summarised first`,
    tools: 'it calls no tools, so it can only talk',
    safe: 'The conversation goes on as it is.',
    line: (parts: readonly string[]) => {
      const text = parts.join('; ')
      return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
    },
  },
  effort: {
    title: 'Effort',
    about: 'How long this model thinks before it answers.',
    usual: 'Usual',
    usualHint: 'As the settings say, or else as the model does by itself.',
    hints: {
      low: 'Short thoughts. Quick and cheap, for simple steps.',
      medium: 'Between quick and thorough.',
      high: 'Thinks longer about hard steps.',
      xhigh: 'For long work on hard problems.',
      max: 'As long as it takes. The slowest and dearest.',
    } satisfies Readonly<Record<Effort, string>>,
    keptAway: (effort: string) => `This model does not offer ${effort}, so it answers as usual.`,
  },
  thinking: {
    title: 'Thinking',
    about: {
      optional: 'This model thinks when it is asked to.',
      adaptive: 'This model decides itself when to think.',
      always: 'This model always thinks. That cannot be switched off.',
    },
    usual: 'Usual',
    usualHint: 'As the model does by itself.',
    on: 'On',
    onHint: 'It may think before it answers. Thoughts cost as much as its words.',
    off: 'Off',
    offHint: 'It answers at once.',
  },
} as const
