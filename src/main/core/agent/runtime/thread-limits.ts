import { answeringModel, type ThreadState } from '#shared/model/thread.ts'
import { resultTokensOf } from '../context/eviction.ts'
import { assumedPriceOf } from '../delegation/budgets.ts'
import type { AgentDefinition } from '../types/agent-definition.ts'
import type { LoopContext } from '../types/loop-context.ts'
import type { AgentServices } from '../types/services.ts'
import type { AgentSettings, SummarisationSettings } from '../types/settings.ts'
import { type AgentTuning, findStage, isOn } from '../types/tuning.ts'

/** An agent of the mode `tool` replies once, and once more when its answer must fit a schema and does not. */
function replyLimit({ mode }: AgentDefinition, { parent, answerSchema }: ThreadState, settings: AgentSettings): number {
  if (mode === 'tool') return answerSchema === null ? 1 : 2
  return parent ? settings.maxSubagentIterations : settings.maxIterations
}

/** Null for an agent that never summarises by itself. */
function summarisationOf({ summarisation }: AgentSettings, tuning: AgentTuning): SummarisationSettings | null {
  if (!isOn(tuning, 'summary')) return null
  const stage = findStage(tuning, 'summary')
  return { tokens: stage?.tokens ?? summarisation.tokens, share: stage?.share ?? summarisation.share }
}

interface LimitSources {
  /** The agent, as it is now. */
  readonly thread: ThreadState
  /** Its main agent; undefined when that is gone. */
  readonly root: ThreadState | undefined
  readonly definition: AgentDefinition
  readonly settings: AgentSettings
  /** The settings of all agents, with those of the type. */
  readonly tuning: AgentTuning
  readonly messageTokens: LoopContext['limits']['messageTokens']
}

/** What one run of the agent may take, and how its model is asked. */
export function threadLimits(
  services: AgentServices,
  { thread, root, definition, settings, tuning, messageTokens }: LimitSources,
): LoopContext['limits'] {
  return {
    maxIterations: replyLimit(definition, thread, settings),
    maxTokens: settings.maxTokens,
    cost: thread.parent ? null : settings.budgets.run.cost,
    assumedPrice: thread.parent ? null : assumedPriceOf(services, answeringModel(thread)),
    temperature: tuning.temperature,
    topP: tuning.topP,
    topK: tuning.topK,
    effort: definition.effort ?? root?.effort ?? settings.effort,
    thinking: definition.thinking ?? root?.thinking ?? null,
    summarisation: summarisationOf(settings, tuning),
    // The answer of a program that speaks lines of JSON is in its output, so that is never cut.
    resultTokens:
      definition.program && definition.program.kind !== 'acp'
        ? Number.POSITIVE_INFINITY
        : resultTokensOf(settings, tuning),
    messageTokens,
    caching: isOn(tuning, 'cache'),
  }
}
