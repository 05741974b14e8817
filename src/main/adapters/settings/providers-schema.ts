import { z } from 'zod'
import { efforts, thinkingKinds } from '#shared/model/models/model-facts.ts'
import { providerKinds, secretSchemes, thoughtModes } from '#shared/model/models/provider.ts'

const dollars = z.number().min(0).max(10_000)
const tokens = z.int().min(256).max(100_000_000)
const name = z.string().trim().min(1).max(200)

/** The name of a profile stands before the slash of a model, so it holds none. */
export const profileName = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.-]{0,59}$/,
    'A name has letters, digits, "-", "_" and ".", and begins with a letter or a digit.',
  )
  .refine((text) => text !== 'demo', 'The name demo belongs to the built-in model.')

/** How a key is sent, and the one place that it comes from. */
const auth = z
  .strictObject({
    scheme: z.enum(secretSchemes).optional(),
    key: profileName.optional(),
    env: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'This is not the name of an environment variable.')
      .optional(),
    command: z.union([z.string().trim().min(1).max(10_000), z.array(z.string()).min(1).max(100)]).optional(),
  })
  .refine(({ key, env, command }) => [key, env, command].filter((one) => one !== undefined).length < 2, {
    error: 'A key comes from one place: key, env or command.',
  })

const prices = z.strictObject({
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
})

const model = z.strictObject({
  name: name.optional(),
  context: tokens.optional(),
  max_output: z.int().min(1).max(100_000_000).optional(),
  prices: prices.nullable().optional(),
  tools: z.boolean().optional(),
  images: z.boolean().optional(),
  thinking: z.enum(thinkingKinds).optional(),
  effort: z.array(z.enum(efforts)).max(efforts.length).optional(),
  caching: z.boolean().optional(),
  temperature: z.boolean().optional(),
  top_p: z.boolean().optional(),
  top_k: z.boolean().optional(),
  schemas: z.boolean().optional(),
})
export type ModelSetting = z.infer<typeof model>

/** True for an address such as `https://user:password@host`. */
function hasLogin(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && `${url.username}${url.password}` !== ''
}

const headerValue = z
  .string()
  .max(10_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'A header has one line, without characters such as curly quotes.')

const header = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'This is not the name of a header.')

/** One way to reach models. */
export const providerSetting = z.strictObject({
  kind: z.enum(providerKinds).optional().meta({
    description: 'How its server is spoken to. Without it, as the preset says, or `anthropic`.',
  }),
  preset: name.optional().meta({
    description: 'The name of a known server, whose values hold for what is not set here.',
  }),
  base_url: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !hasLogin(text), {
      error: 'An address holds no name and no password, because it is shown. Put a key into auth.',
    })
    .optional()
    .meta({ description: 'The address of its server.' }),
  auth: auth.optional().meta({
    description:
      'How the key is sent (`scheme`: `x-api-key`, `bearer` or `none`) and where it comes from: `key`, a name in the key store; `env`, an environment variable; or `command`, a command that prints it, run when it is needed and again when the server refuses the key. Without one, the key that was entered in the window.',
  }),
  headers: z.record(header, headerValue).optional().meta({
    description: 'Further headers of each request. A key does not belong here.',
  }),
  concurrency: z.int().min(1).max(1000).optional().meta({
    description: 'Most requests at the same time. The others wait.',
    default: 10,
  }),
  thoughts: z.enum(thoughtModes).optional().meta({
    description:
      'How thoughts go back to the model that had them: only those that its server `signed`, `all`, or `as_text`.',
    default: 'signed',
  }),
  region: name.optional().meta({ description: 'The region of `bedrock` and `vertex`.' }),
  project: name.optional().meta({ description: 'The project of `vertex`.' }),
  resource: name.optional().meta({ description: 'The resource of `foundry`.' }),
  models: z.record(z.string().min(1).max(200), model).optional().meta({
    description:
      'What is known of its models, by their names: `name`, `context` and `max_output` in tokens, `prices` in US dollars per million tokens (`input`, `output`, `cache_read`, `cache_write`), and what they can do: `tools`, `images`, `thinking` (`none`, `optional`, `adaptive`, `always`), `effort` (a list), `caching`, `temperature`, `top_p`, `top_k`, `schemas`.',
  }),
})
export type ProviderSetting = z.infer<typeof providerSetting>

export const providersShape = {
  providers: z.record(profileName, providerSetting).meta({
    description:
      'Ways to reach models, by their names. A model is then `profile/model`, such as `gate/m1`. See the page on models.',
    default: {},
  }),
  default_provider: z.string().min(1).max(60).nullable().meta({
    description: 'The profile of models that are named without one. Null is the built-in profile `anthropic`.',
    default: null,
  }),
  subagent_model: z.string().min(1).max(260).nullable().meta({
    description: 'The model of subagents whose definition names none. Null is the model of their parent.',
    default: null,
  }),
  summary_model: z.string().min(1).max(260).nullable().meta({
    description:
      'The model that summarises long conversations, grades goals and proposes messages of commits. Null is the model of the thread.',
    default: null,
  }),
  fallback: z.array(z.string().min(1).max(260)).max(10).meta({
    description:
      'Models that answer in turn while the model of a thread is overloaded or cannot be reached. The chat says so.',
    default: [],
  }),
} as const
