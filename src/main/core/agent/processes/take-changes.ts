import type { Tree } from '#overlay'
import type { Call } from '#shared/model/calls/call.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { BranchId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { accessOf, toolFacts } from '#shared/tools/tool-facts.ts'
import type { FileEffect } from '../../approval/effects.ts'
import { judgedEffects } from '../../approval/effects-rules.ts'
import { createJudge, judgesEffects } from '../../approval/policy.ts'
import { environmentOf } from '../../branches/branch-trees.ts'
import type { Evicted, MountCapture, MountChange } from '../../ports/branch-mounts.ts'
import { keepOnto } from '../../trial/keep-onto.ts'
import { describeLeft } from '../../trial/left-behind.ts'
import type { Trial } from '../../trial/open-trial.ts'
import { layersAfter, sameLayers } from '../../trial/outcome.ts'
import { linksText, notKeptText } from '../../trial/place-changes.ts'
import { evictedText } from '../../trial/view-notes.ts'
import { effectsBetween } from '../calls/call-effects.ts'
import { policyOf } from '../runtime/agent-policy.ts'
import { definitionOf } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { headOf } from './process-trial.ts'

/** A process that has ended, and what it left. */
export interface EndedProcess {
  readonly threadId: ThreadId
  readonly branchId: BranchId
  /** The call that started it. Null for a person's. */
  readonly callId: ToolCallId | null
  readonly command: string
  /** True when a person approved that call, or started it. */
  readonly isApproved: boolean
  readonly view: Pick<Trial, 'tree' | 'environment' | 'hidden'>
  /** What the branch changed since the process began, even if it changed it back. */
  readonly moved: ReadonlySet<VirtualPath>
  readonly captured: MountCapture
  /** False when it was cut off, so that what it left in ignored files was dropped. */
  readonly isWhole: boolean
}

/** What to store of the changes of a process, and what to say about them. */
export interface TakenChanges {
  readonly entries: readonly EntryBody[]
  readonly note: string
}

/**
 * The changes of a process as changes of its branch as it is now. What the branch changed meanwhile stays as the branch has
 * it. Either all other changes are taken, or none, under the rules that hold for commands.
 */
export async function takeChanges(services: AgentServices, ended: EndedProcess): Promise<TakenChanges> {
  const { branchId, view, moved, captured, callId } = ended
  if (services.log.state.branches.get(branchId)?.status !== 'open') return { entries: [], note: 'Its branch is gone.' }
  const now = headOf(services, branchId)
  const kept = await keepOnto(services, view, captured.changes, { now, moved })
  if (kept.kind === 'refused') return { entries: [], note: kept.message }
  const { branch, own, left } = kept
  const patch = branch.patch()
  const refused = await refusalOf(services, ended, now, branch.tree)
  if (refused !== undefined) return { entries: [], note: refused }
  const environment = await environmentEntry(services, ended)
  const changed = patch.length === 0 ? [] : [{ type: 'tree.changed', branchId, patch, callId } as const]
  return { entries: [...changed, ...environment.entries], note: noteOf(own, left, ended, environment.evicted) }
}

/** What a program left in ignored files, joined with what commands left there since it began. */
export async function environmentEntry(
  { log, mounts }: AgentServices,
  {
    branchId,
    view,
    captured,
    callId,
  }: Pick<EndedProcess, 'branchId' | 'captured'> & {
    readonly view: Pick<Trial, 'environment'>
    readonly callId: ToolCallId | null
  },
): Promise<{ readonly entries: readonly EntryBody[]; readonly evicted: readonly Evicted[] }> {
  if (sameLayers(captured.environment, view.environment)) return { entries: [], evicted: [] }
  const now = environmentOf(log.trees, branchId)
  const { layers, evicted } = await layersAfter(mounts, captured, {
    ...{ opened: view.environment, before: view.environment, now },
  })
  return { entries: [{ type: 'environment.changed', branchId, layers, callId }], evicted }
}

/** True when a person saw the call and let it run. */
export function wasApproved(call: Call | undefined): boolean {
  const type = call?.decision?.type
  return type === 'approve' || type === 'edit' || type === 'run_again'
}

/** Why none of the changes may be kept: a rule forbids one of them, or one needs approval that nobody gave. */
async function refusalOf(
  services: AgentServices,
  { threadId, isApproved, command, captured }: EndedProcess,
  before: Tree,
  after: Tree,
): Promise<string | undefined> {
  const thread = services.log.state.threads.get(threadId)
  if (!thread) return 'Its thread is gone, so none of its changes were kept.'
  const options = policyOf(services, definitionOf(services.extensions.current(), thread.agentType))
  if (!judgesEffects(options)) return undefined
  const effects = await effectsBetween(services, before, after)
  const left = describeLeft(captured.left ?? [])
  if (effects.length === 0 && left === undefined) return undefined
  const [gone, written] = [effects.filter(isDeletion), effects.filter((one) => !isDeletion(one))]
  const changes = { written: written.map(({ path }) => path), deleted: gone.map(({ path }) => path), renamed: [] }
  const did = judgedEffects({ changes, ...(left && { left_behind: left }) })
  const outcome = { command: did, question: null, isApproved, isOnTop: false, changedNothing: false }
  const tool = toolFacts.execute
  const access = accessOf(tool.access, { command })
  const gate = createJudge(options)({ tool, access, mode: 'auto', effects, outcome })
  if (gate.kind !== 'refuse' && gate.kind !== 'ask') return undefined
  if (gate.kind === 'refuse') return `None of its changes were kept. ${gate.message}`
  return `None of its changes were kept, because one of them needs the user’s approval (${gate.rule}).`
}

function isDeletion({ kind }: FileEffect): boolean {
  return kind === 'delete'
}

const mostNamed = 20

function noteOf(
  own: readonly MountChange[],
  left: readonly VirtualPath[],
  { captured: { unkept, ignoredChanges, refusedLinks = [], notKept = [] }, isWhole }: EndedProcess,
  evicted: readonly Evicted[],
): string {
  const changed = own
    .filter(({ kind }) => kind !== 'directory')
    .map(({ kind, path }) => `${kind === 'absent' ? 'deleted' : 'wrote'} ${shownName(path)}`)
  const notes = [
    changed.length > 0 && `Changes: ${listNames(changed)}.`,
    left.length > 0 && `Your own version stays at ${listNames(left.map(shownName))}, which it had changed differently.`,
    linksText(refusedLinks),
    notKeptText(notKept),
    unkept !== undefined && `What it left in ignored files was not kept. ${unkept}`,
    !isWhole && ignoredChanges > 0 && 'What it left in ignored files was dropped, because it did not end by itself.',
    evictedText(evicted),
  ]
  return notes.filter(Boolean).join(' ')
}

function listNames(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return `${names.slice(0, mostNamed).join(', ')}${more}`
}
