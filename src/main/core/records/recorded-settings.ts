import { z } from 'zod'
import { decisionTypes } from '#shared/model/calls/interrupt.ts'
import { goal, list } from '#shared/model/entry-parts.ts'
import { commandApprovals } from '#shared/model/settings.ts'
import type { AgentSettings } from '../agent/types/settings.ts'

const amount = z.number().nullable()
const budget = z.object({ cost: amount, tokens: amount, modelCalls: amount, minutes: amount })
const limit = z.int().min(0)
const texts = list(z.string())

/** The settings that decide which calls run and when a run ends. Prompts, keys, servers and folders are not among them. */
export const recordedSettings = z.object({
  maxIterations: limit,
  maxSubagentIterations: limit,
  maxSubagentDepth: limit,
  batchConcurrency: limit.min(1),
  mostProcesses: limit,
  maxTokens: limit,
  quarantine: z.enum(['strict', 'scoped', 'off']),
  quarantineInherited: z.boolean(),
  summarisation: z.object({ tokens: z.number(), share: z.number() }),
  budgets: z.object({ run: budget, thread: budget, batch: budget, subagent: budget }),
  unknownPrice: z.union([z.object({ input: z.number(), output: z.number() }), z.literal('refuse')]),
  runner: z.object({ timeoutMs: limit, memoryMb: limit, outputBytes: limit, bridgeCalls: limit }),
  goal: goal.nullable(),
  /** When commands in the sandbox are approved. Null for as the mode says. */
  commands: z.enum(commandApprovals).nullable(),
  /** What asked. What allowed is left out, so that a record of somebody else allows nothing. */
  asks: z.array(
    z.tuple([
      z.string(),
      z.union([z.boolean(), z.object({ allowed_decisions: list(z.enum(decisionTypes)), when: texts.optional() })]),
    ]),
  ),
  rules: z.object({ deny: texts, ask: texts }),
})

export type RecordedSettings = Readonly<z.infer<typeof recordedSettings>>

export function settingsToRecord(settings: AgentSettings): RecordedSettings {
  const { maxIterations, maxSubagentIterations, maxSubagentDepth, batchConcurrency, mostProcesses } = settings
  const {
    maxTokens,
    quarantine,
    quarantineInherited,
    summarisation,
    budgets,
    unknownPrice,
    runner,
    policy,
    goal: wanted,
  } = settings
  return {
    ...{ maxIterations, maxSubagentIterations, maxSubagentDepth, batchConcurrency, mostProcesses, maxTokens },
    ...{ quarantine, quarantineInherited, summarisation, budgets, unknownPrice, runner },
    goal: wanted,
    commands: policy.commands ?? null,
    asks: [...policy.interruptOn].filter(([, setting]) => setting !== false),
    rules: { deny: policy.rules.deny, ask: policy.rules.ask },
  }
}

/** The settings of a replay: limits as recorded, and a policy that asks and denies at least what it did then. */
export function settingsForReplay(
  own: AgentSettings,
  { asks, rules, commands, ...limits }: RecordedSettings,
): AgentSettings {
  const { policy } = own
  return {
    ...own,
    ...limits,
    // A record of somebody else takes no more of this machine than its person allows.
    mostProcesses: Math.min(own.mostProcesses, limits.mostProcesses),
    runner: {
      timeoutMs: Math.min(own.runner.timeoutMs, limits.runner.timeoutMs),
      memoryMb: Math.min(own.runner.memoryMb, limits.runner.memoryMb),
      outputBytes: Math.min(own.runner.outputBytes, limits.runner.outputBytes),
      bridgeCalls: Math.min(own.runner.bridgeCalls, limits.runner.bridgeCalls),
    },
    // The record answers for every model, so none takes over for another.
    ...{ usualModel: '', subagentModel: null, summaryModel: null, fallback: [] },
    policy: {
      ...policy,
      // Nobody here said what it tells all projects, wherever it runs again.
      isTrusted: false,
      commands: policy.commands === 'before' ? 'before' : (commands ?? undefined),
      narrowing: [...(policy.narrowing ?? []), new Map(asks)],
      rules: {
        ...policy.rules,
        deny: [...policy.rules.deny, ...rules.deny],
        ask: [...policy.rules.ask, ...rules.ask],
      },
    },
  }
}
