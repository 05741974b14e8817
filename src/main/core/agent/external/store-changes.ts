import type { Patch } from '#overlay'
import { ticks } from '#shared/base/clock.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { ToolOutcome } from '#shared/model/message.ts'
import { charactersPerToken } from '#shared/model/models/usage.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { accessOf, toolFacts } from '#shared/tools/tool-facts.ts'
import { linksText, notKeptText } from '../../trial/place-changes.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { isApproved } from '../calls/run-call.ts'
import { evictionNotice } from '../context/eviction.ts'
import type { LoopContext } from '../types/loop-context.ts'
import type { ViewChanges } from './agent-view.ts'
import type { ExternalSession } from './external-sessions.ts'

/** How a call of the agent ended, by its own word. */
export interface EndedCall {
  readonly call: Call
  readonly outcome: ToolOutcome
  readonly text: string
  /** By `ticks`. */
  readonly startedAt: number
}

const attempts = 5

/**
 * Stores the result of a call with what the agent changed until then, if the rules let that count. What `waits` belongs to
 * another call.
 */
export async function* storeCall(
  context: LoopContext,
  session: ExternalSession,
  ended: EndedCall,
  signal: AbortSignal,
  waits: (path: VirtualPath) => boolean = () => false,
): LoopSteps<void> {
  const { call } = ended
  session.calls.add(call.callId)
  for (let attempt = 1; ; attempt += 1) {
    const seen = await session.view.look(waits)
    const { patch, note, refused } = seen ? await judge(context, call, seen, signal) : nothing
    const changed: readonly EntryFromTool[] =
      patch.length === 0
        ? []
        : [{ type: 'tree.changed', branchId: context.thread().branchId, patch, callId: call.callId }]
    const stored = yield context.withCheckpoint([...changed, finished(context, ended, note)])
    if (stored === 'moved_on' && attempt < attempts) continue
    seen?.settle()
    // What must not count is taken out of the view too, so that the agent goes on with what there is.
    if (refused) session.view.moved(refused)
    if (stored === 'moved_on') yield context.withCheckpoint([finished(context, ended, overtaken)])
    return
  }
}

const nothing = { patch: [] as Patch, note: '', refused: null }
const overtaken = 'None of what it changed was kept, because others changed the branch again and again meanwhile.'

function finished(context: LoopContext, { call, outcome, text, startedAt }: EndedCall, note: string): EntryFromTool {
  const { clock, keepText, limits } = context
  const isLarge = text.length > limits.resultTokens * charactersPerToken
  const store = () => keepText('/large_tool_results/', `${call.callId}.txt`, text)
  const said = [isLarge ? evictionNotice(store(), text) : text, note].filter((part) => part !== '').join('\n\n')
  return {
    type: 'tool.finished',
    callId: call.callId,
    name: call.name,
    result: { outcome, content: [{ type: 'text', text: said }] },
    durationMs: Math.max(0, Math.round(ticks(clock) - startedAt)),
    reads: [],
  }
}

/** What of the changes may count: all, or none when a rule is against one of them that no person has approved. */
async function judge(context: LoopContext, call: Call, seen: ViewChanges, signal: AbortSignal) {
  const { kept } = seen
  if (kept.kind === 'refused') return { ...nothing, note: kept.message }
  const patch = kept.branch.patch()
  const notes = [
    kept.left.length > 0 &&
      `Others changed ${kept.left.map(shownName).join(', ')} on the branch meanwhile, and their version stays.`,
    linksText(seen.refusedLinks ?? []),
    notKeptText(seen.notKept),
  ]
  const changed = patch.map(([path]) => path)
  if (context.approvalMode() === 'plan' && changed.length > 0)
    return { ...nothing, note: notKept(changed, 'Plan mode: nothing may be changed.'), refused: changed }
  const workspace = await context.openWorkspace(signal, { approved: isApproved(call), written: [] })
  const effects = await context.effectsOf(workspace, patch, false)
  const note = notes.filter(Boolean).join(' ')
  if (effects.length === 0) return { patch, note, refused: null }
  // What it said that it does decides nothing here.
  const tool = toolFacts.edit_file
  const outcome = { command: null, question: null, isApproved: isApproved(call), isOnTop: false, changedNothing: false }
  const verdict = context.judge({ tool, access: accessOf(tool.access, {}), mode: 'auto', effects, outcome })
  if (verdict.kind === 'run') return { patch, note, refused: null }
  const why =
    verdict.kind === 'refuse'
      ? verdict.message
      : `One of them needs your approval (${'rule' in verdict ? verdict.rule : ''}).`
  return { ...nothing, note: notKept(changed, why), refused: changed }
}

function notKept(paths: readonly VirtualPath[], why: string): string {
  return `None of these changes were kept: ${paths.map(shownName).join(', ')}. ${why}`
}
