import { z } from 'zod'
import { efforts } from '#core/ports/model-client.ts'
import { tuningShape } from './tuning-schema.ts'

const decision = z.enum(['approve', 'edit', 'reject'])
/** At least one decision, or the call would wait for ever. */
const decisions = z.tuple([decision], decision)
/** One pattern or several. */
const patterns = z.union([
  z
    .string()
    .min(1)
    .transform((pattern) => [pattern]),
  z.array(z.string().min(1)).min(1),
])
/** A person's setting for one tool, used here and in the definition of an agent. */
export const interruptSetting = z.union([
  z.boolean(),
  z.object({ allowed_decisions: decisions, when: patterns.optional() }),
])
const rules = z.array(z.string()).default([])
const limit = z.number().positive().nullable().optional()
const budget = z.object({ cost: limit, tokens: limit, model_calls: limit, minutes: limit })
const milliseconds = z.int().positive()

/**
 * The keys of `settings.json`. Each is optional and checked separately, so that one invalid value does not remove the
 * others. `null` means the key is absent.
 */
export const settingsShape = {
  model: z.string().min(1),
  base_url: z.url({ protocol: /^https?$/ }).nullable(),
  system_prompt: z.string().nullable(),
  approval_mode: z.enum(['plan', 'ask', 'auto-edit', 'auto']),
  interrupt_on: z.record(z.string(), interruptSetting),
  permissions: z.object({ allow: rules, ask: rules, deny: rules }),
  subagents: z.array(z.unknown()),
  mcp_servers: z.record(z.string(), z.unknown()),
  max_iterations: z.int().min(1).max(10_000),
  max_subagent_depth: z.int().min(0).max(10),
  batch_concurrency: z.int().min(1).max(100),
  quarantine: z.object({ mode: z.enum(['strict', 'scoped', 'off']), inherit: z.boolean().default(true) }),
  max_tokens: z.int().min(256).max(1_000_000),
  ...tuningShape,
  effort: z.enum(efforts).nullable(),
  /** In US dollars, tokens, calls and minutes. Null removes a limit. */
  budgets: z.object({
    run: budget.optional(),
    thread: budget.optional(),
    batch: budget.optional(),
    subagent: budget.optional(),
  }),
  /**
   * What limits in dollars do with a model whose price is unknown: count its tokens at these prices, in US dollars per
   * million tokens, or refuse to start.
   */
  unknown_price: z.union([
    z.literal('refuse'),
    z.object({ input: z.number().min(0).max(10_000), output: z.number().min(0).max(10_000) }),
  ]),
  /**
   * How many tokens of a tool result stay in the conversation. A larger result goes to a file that the agent can read.
   */
  eviction: z.object({ tokens: z.int().min(100).max(1_000_000).optional() }),
  /** When a conversation is summarised: at a number of tokens, or at a share of the model's window. */
  summarisation: z.object({ tokens: z.int().min(1000).optional(), share: z.number().min(0.1).max(1).optional() }),
  /** `off`: commands run without an OS sandbox, and each of them asks. */
  sandbox: z.enum(['auto', 'off']),
  runner: z.object({ timeout_ms: milliseconds.optional(), memory_mb: z.int().min(16).optional() }),
  retry: z.object({
    attempts: z.int().min(1).max(20).optional(),
    base_delay_ms: milliseconds.optional(),
    max_delay_ms: milliseconds.optional(),
  }),
} as const

export type SettingsKey = keyof typeof settingsShape
export type Settings = { readonly [Key in SettingsKey]?: z.infer<(typeof settingsShape)[Key]> | undefined }

/** Keys that are kept and not reported as unknown. */
export const reservedKeys: ReadonlySet<string> = new Set(['$schema'])
