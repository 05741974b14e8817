import type { JsonObject } from '#shared/base/json.ts'
import { type Call, isUnstarted } from '#shared/model/calls/call.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { isExternalCall } from '#shared/tools/tool-facts.ts'
import type { Tool } from '../../tools/tool.ts'
import { askedEntry, type StagesSaid } from '../stages/stage.ts'
import type { CallContext, LoopSteps } from './call-context.ts'
import { fitArguments } from './fit-arguments.ts'
import type { PlannedCall } from './next-step.ts'
import { argumentsOf } from './run-call.ts'

/**
 * Asks the stages about calls that have not run, all at the same time, and stores what they say. Nobody is asked twice about the
 * same arguments, so that a call goes on after a restart as it stood.
 */
export async function* askBefore(
  calls: CallContext,
  planned: readonly PlannedCall[],
  signal: AbortSignal,
  moment: 'PreToolUse' | 'PermissionRequest' = 'PreToolUse',
): LoopSteps<boolean> {
  const entries = await Promise.all(
    planned.map(async ({ call, tool }) => {
      const args = argumentsOf(call)
      if (!isToBeAsked(call, args, moment) || !fitArguments(tool.schema, args).parsed.success) return []
      const reached = isExternalCall(tool.name) ? await reachedBy(calls, tool, args) : undefined
      const asked = { call, tool, args, ...(reached && { reached }) }
      const said = await calls.stages.beforeCall(moment, asked, signal)
      if (said === null) return []
      // A person's edit stands, and a call that has begun keeps its arguments.
      const kept = isExternalCall(tool.name) ? unchanged(said) : isSettled(call) ? { ...said, input: null } : said
      const { about, ...entry } = askedEntry({ moment, thread: calls.thread(), about: { call, tool, args } }, kept)
      // The journal has the arguments already, and they may be a whole file.
      return [isKnown(call, args) || about === undefined ? entry : { ...entry, about }]
    }),
  )
  const said = entries.flat()
  if (said.length > 0) yield said
  return said.length > 0
}

/** A hook of the person cannot follow a link that is on the agent's branch alone. */
async function reachedBy(calls: CallContext, tool: Tool, args: JsonObject): Promise<readonly VirtualPath[]> {
  const { reads, writes } = await calls.accessOf(tool, args)
  return [...reads, ...writes]
}

function isSettled(call: Call): boolean {
  return call.decision?.type === 'edit' || !isUnstarted(call)
}

/** An external agent makes its calls itself, so that nobody can change them. Whoever wanted to has a person look. */
function unchanged(said: StagesSaid): StagesSaid {
  if (said.input === null) return said
  const { by } = said.input
  const isRefused = said.verdict?.kind === 'refuse'
  const verdict = { kind: 'ask', by, reason: 'it would change the call, which only its agent can' } as const
  return { ...said, input: null, verdict: isRefused ? said.verdict : verdict }
}

/** True when an entry need not repeat the arguments: the fold takes these for one without any. */
function isKnown({ staged, input }: Call, args: JsonObject): boolean {
  return JSON.stringify(staged?.about ?? input) === JSON.stringify(args)
}

function isToBeAsked(call: Call, args: JsonObject, moment: 'PreToolUse' | 'PermissionRequest'): boolean {
  const { staged, decision } = call
  if (moment === 'PermissionRequest') return staged?.askedForPerson !== true
  const isAbout = staged !== undefined && JSON.stringify(staged.about) === JSON.stringify(args)
  return !isAbout && (isUnstarted(call) || decision?.type === 'edit')
}
