import { agentIn, agentModel, ownModelIn } from '#shared/model/models/agent-model.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { type AgentChoice, ExternalAgentError } from '../../ports/programs/external-agent.ts'
import type { ExternalProgram } from '../types/agent-definition.ts'
import type { LoopContext } from '../types/loop-context.ts'
import type { ExternalSession } from './external-sessions.ts'
import { wantedMode } from './wanted-mode.ts'

/**
 * Has the agent work as the thread and its definition say: in which of its modes, with which of its models, and how long that
 * thinks. Throws `ExternalAgentError` for a mode or a model that it does not offer, and the abort reason.
 */
export async function chooseOwn(
  context: LoopContext,
  program: ExternalProgram,
  session: ExternalSession,
  signal: AbortSignal,
): Promise<void> {
  await chooseMode(context, program, session, signal)
  await chooseModel(context, session, signal)
  await chooseEffort(context, session, signal)
}

/** A mode of its own that the thread or else the definition names goes before the one that fits ours, except in *Plan*. */
async function chooseMode(
  context: LoopContext,
  { mode: defined }: ExternalProgram,
  { agent }: ExternalSession,
  signal: AbortSignal,
): Promise<void> {
  const { current, offered } = agent.choices('mode')
  const mode = context.approvalMode()
  const chosen = context.thread().agentMode ?? null
  const named = chosen ?? defined
  const isOwn = named !== null && mode !== 'plan'
  const wanted = isOwn ? findOffered(offered, named) : wantedMode(mode, offered)
  if (isOwn && !wanted) {
    const rest = chosen === null ? 'Change acp_mode in its definition.' : 'Choose another one in the menu of modes.'
    throw new ExternalAgentError('failed', unknown({ agent: nameOf(context), kind: 'mode', named, offered, rest }))
  }
  if (wanted && wanted.id !== current) await agent.choose('mode', wanted.id, signal)
}

/** The model that the thread names, or else the one that the session began with. */
async function chooseModel(
  context: LoopContext,
  { agent, usual }: ExternalSession,
  signal: AbortSignal,
): Promise<void> {
  const { current, offered } = agent.choices('model')
  const named = ownModelIn(context.thread().model)
  const wanted = named === null ? usual.model : findOffered(offered, named)?.id
  if (wanted === undefined) {
    const rest = `${agentModel(nameOf(context))} leaves the choice to it.`
    const told = { agent: nameOf(context), kind: 'model', named: named ?? '', offered, rest } as const
    throw new ExternalAgentError('failed', unknown(told))
  }
  if (wanted !== '' && wanted !== current) await agent.choose('model', wanted, signal)
}

/** As for a model of ours, an effort that it does not offer is left to it. */
async function chooseEffort(context: LoopContext, session: ExternalSession, signal: AbortSignal): Promise<void> {
  const { agent, usual } = session
  const { current, offered } = agent.choices('effort')
  const isOffered = (id: string) => offered.some((one) => one.id === id)
  const named = context.thread().effort ?? context.limits.effort
  const isNamed = named !== null && isOffered(named)
  const wanted = isNamed ? named : session.hasEffort ? usual.effort : current
  session.hasEffort = isNamed
  if (wanted !== current && isOffered(wanted)) await agent.choose('effort', wanted, signal)
}

function nameOf(context: LoopContext): string {
  const { model, agentType } = context.thread()
  return agentIn(model) ?? agentType
}

/** By its id, else by id or name in any case. */
function findOffered(offered: readonly AgentChoice[], named: string): AgentChoice | undefined {
  const said = named.toLowerCase()
  const fits = ({ id, name }: AgentChoice) => id.toLowerCase() === said || name.toLowerCase() === said
  return offered.find(({ id }) => id === named) ?? offered.find(fits)
}

/** Ids that are told where an agent does not offer the one that is wanted, and characters of each. */
const mostTold = 30
const mostShown = 200

function unknown({
  agent,
  kind,
  named,
  offered,
  rest,
}: {
  readonly agent: string
  readonly kind: 'mode' | 'model'
  readonly named: string
  readonly offered: readonly AgentChoice[]
  /** What to do, as a sentence. */
  readonly rest: string
}): string {
  const wanted = JSON.stringify(named)
  if (offered.length === 0) return `${agent} offers no choice of ${kind}s, so it cannot use ${wanted}. ${rest}`
  const told = offered.slice(0, mostTold).map(({ id }) => beginningOf(shownName(beginningOf(id, mostShown)), mostShown))
  const more = offered.length > told.length ? ` and ${offered.length - told.length} more` : ''
  return `${agent} has no ${kind} ${wanted}. It offers ${told.join(', ')}${more}. ${rest}`
}
