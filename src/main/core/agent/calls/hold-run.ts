import { ticks } from '#shared/base/clock.ts'
import { type Call, openOutcome } from '#shared/model/call.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ToolResult, UserPart } from '#shared/model/message.ts'
import { type CallEffects, mostEffectText, type Outcome, type PlaceWrite } from '#shared/model/outcome.ts'
import type { Patch } from '#shared/model/patch.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { judgedEffects, matchEffects } from '../../approval/effects-rules.ts'
import { goBack } from '../../branches/go-back.ts'
import type { LeafChange } from '../../overlay/changes.ts'
import { diffTrees, patchTree, type Tree } from '../../overlay/tree.ts'
import { findSecrets } from '../../secrets/secrets.ts'
import type { Tool } from '../../tools/tool.ts'
import type { BranchState, CallWorkspace, LoopContext } from '../types/loop-context.ts'
import { argumentsOf, type HeldGround, judgeChange, type RanCall } from './run-call.ts'
import { toolContext } from './tool-context.ts'

/** Where a held call runs: on the branch as it is now, or on top of the held calls before it. */
export interface Ground extends HeldGround {
  /** The last held call below; null for the branch as it is. */
  readonly after: ToolCallId | null
}

export function groundOf({ branch }: LoopContext): Ground {
  return { tree: branch.tree(), environment: branch.environment(), after: null }
}

/** The ground for the next held call: this one's effects on top of what it ran on. */
export function onTopOf(ground: Ground, callId: ToolCallId, held: Outcome): Ground {
  return {
    tree: patchTree(ground.tree, held.patch),
    environment: held.layers ?? ground.environment,
    // A call that changed nothing has nothing that another one could build on.
    after: held.patch.length > 0 || held.layers !== null ? callId : ground.after,
  }
}

/** The record of a run whose effects wait for a person. */
export async function recordHeld(
  loop: LoopContext,
  ran: RanCall,
  ground: Ground,
  ranAgain: string | null,
): Promise<Outcome> {
  const { call, output, workspace } = ran
  const { branchId } = loop.thread()
  const environment = (output.entries ?? []).find((entry) => entry.type === 'environment.changed')
  const result: ToolResult = { outcome: output.ok ? 'ok' : 'error', content: output.content }
  return {
    input: argumentsOf(call),
    edited: call.decision?.type === 'edit' || openOutcome(call)?.edited === true,
    tree: loop.branch.hashOf(ground.tree),
    environment: ground.environment,
    after: ground.after,
    ranAgain,
    patch: output.ok ? workspace.branch.patch() : [],
    layers: output.ok && environment?.branchId === branchId ? environment.layers : null,
    places: output.ok ? await recordPlaces(loop, workspace) : [],
    result: loop.branch.blobs.put(new TextEncoder().encode(JSON.stringify(result))),
    exitCode: output.command?.exitCode ?? null,
    refusedHosts: output.command?.refusedHosts ?? [],
    ignoredChanges: output.command?.ignoredChanges ?? 0,
    reads: output.reads ?? [],
    declares: output.declares ?? [],
    durationMs: Math.max(0, Math.round(ticks(loop.clock) - ran.startedAt)),
  }
}

async function recordPlaces(
  { branch: { blobs } }: LoopContext,
  workspace: CallWorkspace,
): Promise<readonly PlaceWrite[]> {
  const writes: PlaceWrite[] = []
  for (const { path } of await workspace.effectsBeside()) {
    const node = await workspace.files.stat(path)
    writes.push({ path, blob: node?.kind === 'file' ? blobs.put(await workspace.files.read(path)) : null })
  }
  return writes
}

/** What a held run did, for the card and for scripts. */
export async function effectsOfHeld(
  { branch }: Pick<LoopContext, 'branch'>,
  held: Outcome,
  tree: Tree,
): Promise<CallEffects> {
  const text = resultOf(branch, held).content.map(textOfPart).join('\n')
  const output = cutMiddle(text)
  const secrets = findSecrets(output)
  const hidesSecrets = output !== text && findSecrets(text).length > secrets.length
  const changes = await branch.changesBetween(tree, patchTree(tree, held.patch))
  const beside = held.places.map(({ path, blob }) => ({ path, isGone: blob === null }))
  return {
    exit_code: held.exitCode,
    output,
    changes: {
      written: [
        ...changes.filter(({ after, renamedFrom }) => after && !renamedFrom).map(({ path }) => path),
        ...beside.filter(({ isGone }) => !isGone).map(({ path }) => path),
      ],
      deleted: [
        ...changes.filter(({ after }) => !after).map(({ path }) => path),
        ...beside.filter(({ isGone }) => isGone).map(({ path }) => path),
      ],
      renamed: changes.flatMap(({ path, renamedFrom }) => (renamedFrom ? [{ from: renamedFrom, to: path }] : [])),
    },
    hosts_refused: held.refusedHosts,
    duration_ms: held.durationMs,
    ignored_changes: held.ignoredChanges,
    secrets,
    ...(hidesSecrets && { hidden_secrets: true }),
    ...(held.declares.length > 0 && { tasks: held.declares.length }),
    ...(held.after !== null && { after: held.after }),
    ...(held.ranAgain !== null && { ran_again: held.ranAgain }),
  }
}

function textOfPart(part: UserPart): string {
  return part.type === 'text' ? part.text : `[${part.type}]`
}

function cutMiddle(text: string): string {
  if (text.length <= mostEffectText) return text
  const half = mostEffectText / 2
  return `${text.slice(0, half)}\n… ${text.length - mostEffectText} characters are not shown …\n${text.slice(-half)}`
}

/** The result that the model reads when the run is kept. Throws when the store has lost it. */
export function resultOf({ blobs }: Pick<BranchState, 'blobs'>, held: Pick<Outcome, 'result'>): ToolResult {
  return JSON.parse(new TextDecoder().decode(blobs.get(held.result))) as ToolResult
}

/** Whether a run is kept without a question, by the rules about what commands did. */
export function judgeEffects({ branch }: LoopContext, effects: CallEffects): ReturnType<typeof matchEffects> {
  return matchEffects(branch.rules(), judgedEffects(effects))
}

/** Why a held run cannot be kept as it is; null when the branch is as it was when the run began. */
export function staleReason({ branch }: LoopContext, held: Outcome): string | null {
  if (held.tree !== branch.hashOf(branch.tree()))
    return held.after === null
      ? 'It ran again, because the branch changed after it had run.'
      : 'It ran again, because what an earlier command changed was not kept as it was.'
  const now = branch.environment()
  const isSame = now.length === held.environment.length && now.every((id, index) => id === held.environment[index])
  return isSame ? null : 'It ran again, because what commands find in ignored files changed after it had run.'
}

/**
 * A held run as if it had ended just now, so that its result is stored like any other: exactly its changes, or those of
 * the chosen paths. The branch must be as it was when the run began.
 */
export async function takeUpHeld(loop: LoopContext, call: Call, tool: Tool, signal: AbortSignal): Promise<RanCall> {
  const { decision } = call
  const held = openOutcome(call)
  if (held === null) throw new Error(`The call ${call.callId} holds nothing.`)
  const workspace = await loop.openWorkspace(signal, { approved: true, written: held.places.map(({ path }) => path) })
  const chosen = decision?.type === 'approve' ? decision.paths : undefined
  const { patch, left } = await choosePaths(loop.branch, held, chosen)
  const places = held.places.filter(({ path }) => isChosen(chosen, path))
  for (const { path, blob } of places) {
    if (blob !== null) await workspace.files.write(path, loop.branch.blobs.get(blob))
    else if (await workspace.files.stat(path)) await workspace.files.delete(path)
  }
  const { outcome, content } = resultOf(loop.branch, held)
  const { branchId } = loop.thread()
  const note = left.length === 0 ? [] : [{ type: 'text', text: leftText(left) } as const]
  return {
    call: { ...call, input: held.input },
    tool,
    context: toolContext(loop.thread(), workspace, { callId: call.callId, hosts: [], signal, onOutput: () => {} }),
    workspace,
    output: {
      ok: outcome === 'ok',
      content: [...content, ...note],
      reads: held.reads,
      declares: held.declares,
      entries:
        held.layers === null
          ? []
          : [{ type: 'environment.changed', branchId, layers: held.layers, callId: call.callId }],
    },
    startedAt: ticks(loop.clock) - held.durationMs,
    keeps: patch,
  }
}

/** The part of a held patch that a person chose, and the changed paths that it leaves out. */
async function choosePaths(
  branch: BranchState,
  { patch, places }: Outcome,
  chosen: readonly VirtualPath[] | undefined,
): Promise<{ readonly patch: Patch; readonly left: readonly VirtualPath[] }> {
  if (chosen === undefined) return { patch, left: [] }
  const before = branch.tree()
  const after = patchTree(before, patch)
  const dropped = (await branch.changesBetween(before, after)).filter(
    ({ path, renamedFrom }) => !isChosen(chosen, path) && !(renamedFrom && isChosen(chosen, renamedFrom)),
  )
  const paths = dropped.flatMap(bothPaths)
  const kept = paths.length === 0 ? after : patchTree(after, goBack(after, before, paths))
  // A file that took the place of a folder, and the other way round, goes back with what is in its way.
  const inKept = new Set((await branch.changesBetween(before, kept)).flatMap(bothPaths))
  const lost = (await branch.changesBetween(before, after)).flatMap(bothPaths).filter((path) => !inKept.has(path))
  const placesLeft = places.map(({ path }) => path).filter((path) => !isChosen(chosen, path))
  return { patch: diffTrees(before, kept), left: [...lost, ...placesLeft] }
}

function bothPaths({ path, renamedFrom }: LeafChange): readonly VirtualPath[] {
  return renamedFrom ? [renamedFrom, path] : [path]
}

function isChosen(chosen: readonly VirtualPath[] | undefined, path: VirtualPath): boolean {
  return chosen === undefined || chosen.some((one) => isWithin(path, one))
}

const mostLeftNamed = 50

function leftText(left: readonly VirtualPath[]): string {
  const more = left.length > mostLeftNamed ? ` and ${left.length - mostLeftNamed} more` : ''
  return `The user kept only a part of what this changed. Not kept, so as before: ${left.slice(0, mostLeftNamed).join(', ')}${more}.`
}

/** The same run with nothing of it kept, for the mode Plan. */
export function withoutEffects(ran: RanCall): RanCall {
  const note = { type: 'text', text: droppedText } as const
  const { entries: _, declares: __, ...output } = ran.output
  return { ...ran, output: { ...output, content: [...output.content, note] }, isDropped: true }
}

const droppedText = 'Plan mode: it ran, and nothing that it changed was kept.'

/** What speaks against keeping a run that nobody has seen: `refuse` for a rule that denies it, `ask` for one that asks. */
export async function objectionTo(
  loop: LoopContext,
  ran: RanCall,
): Promise<{ readonly kind: 'refuse' | 'ask'; readonly reason: string } | undefined> {
  const judged = await judgeChange(loop, ran)
  if (judged === undefined) return undefined
  const { gate } = judged
  return gate.kind === 'refuse' ? { kind: 'refuse', reason: gate.message } : { kind: 'ask', reason: gate.rule }
}
