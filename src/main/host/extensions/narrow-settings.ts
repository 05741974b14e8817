import type { Settings } from '#adapters/settings/settings-schema.ts'
import type { AgentSettings, Budget } from '#core/agent/types/settings.ts'
import type { InterruptSetting } from '#core/approval/interrupt-settings.ts'
import type { PolicySettings } from '#core/approval/policy.ts'
import type { ContextScope } from '#shared/model/thread.ts'
import { withMemoryRules } from '../settings/memory-rules.ts'

/** The keys of a project's settings that are used. Each can only restrict agents further. */
export const narrowingKeys: ReadonlySet<string> = new Set([
  'approval_mode',
  'approvals',
  'budgets',
  'interrupt_on',
  'max_iterations',
  'max_subagent_depth',
  'memory',
  'batch_concurrency',
  'permissions',
  'quarantine',
  'runner',
])

/** The keys that propose something to the person. They give nothing by themselves. */
export const proposingKeys: ReadonlySet<string> = new Set(['checks', 'environment', 'folders', 'sandbox'])

/** The user's settings, narrowed by a project's. A value that would give agents more is ignored. */
export function narrowSettings(own: AgentSettings, project: Settings): AgentSettings {
  const { budgets, runner } = project
  return {
    ...own,
    maxIterations: least(own.maxIterations, project.max_iterations),
    maxSubagentIterations: least(own.maxSubagentIterations, project.max_iterations),
    maxSubagentDepth: least(own.maxSubagentDepth, project.max_subagent_depth),
    batchConcurrency: least(own.batchConcurrency, project.batch_concurrency),
    userMemory: own.userMemory && (project.memory?.user ?? true),
    quarantine: stricterScope(own.quarantine, project.quarantine?.mode),
    budgets: {
      run: narrowBudget(own.budgets.run, budgets?.run),
      thread: narrowBudget(own.budgets.thread, budgets?.thread),
      batch: narrowBudget(own.budgets.batch, budgets?.batch),
      subagent: narrowBudget(own.budgets.subagent, budgets?.subagent),
    },
    runner: {
      ...own.runner,
      timeoutMs: least(own.runner.timeoutMs, runner?.timeout_ms),
      memoryMb: least(own.runner.memoryMb, runner?.memory_mb),
    },
    policy: narrowPolicy(own.policy, project),
  }
}

function narrowPolicy(own: PolicySettings, project: Settings): PolicySettings {
  const { approval_mode, approvals, interrupt_on = {}, permissions } = project
  const asking = Object.entries(interrupt_on).filter(([, setting]) => setting !== false)
  const { deny, ask, allow } = own.rules
  const asked = [...ask, ...(permissions?.ask ?? [])]
  return {
    ...own,
    strictestMode: approval_mode,
    loosestCommands: approvals?.commands,
    narrowing: asking.length === 0 ? [] : [new Map(asking.map(([tool, setting]) => [tool, withReject(setting)]))],
    rules: withMemoryRules({ deny: [...deny, ...(permissions?.deny ?? [])], ask: asked, allow }, project),
  }
}

/** A project may take answers away, but a person can always say no. */
function withReject(setting: InterruptSetting): InterruptSetting {
  if (typeof setting === 'boolean' || setting.allowed_decisions.includes('reject')) return setting
  return { ...setting, allowed_decisions: [...setting.allowed_decisions, 'reject'] }
}

const scopes: readonly ContextScope[] = ['off', 'scoped', 'strict']

function stricterScope(own: ContextScope, given: ContextScope | undefined): ContextScope {
  return given !== undefined && scopes.indexOf(given) > scopes.indexOf(own) ? given : own
}

type GivenBudget = NonNullable<Settings['budgets']>['run']

function narrowBudget(own: Budget, given: GivenBudget): Budget {
  return {
    cost: lower(own.cost, given?.cost),
    tokens: lower(own.tokens, given?.tokens),
    modelCalls: lower(own.modelCalls, given?.model_calls),
    minutes: lower(own.minutes, given?.minutes),
  }
}

function least(own: number, given: number | undefined): number {
  return Math.min(own, given ?? own)
}

/** The lower limit. Null means no limit. */
function lower(own: number | null, given: number | null | undefined): number | null {
  if (given === null || given === undefined) return own
  return own === null ? given : Math.min(own, given)
}
