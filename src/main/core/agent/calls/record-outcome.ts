import { patchTree, type Tree } from '#overlay'
import { ticks } from '#shared/base/clock.ts'
import { type CallEffects, mostEffectText, type Outcome, type PlaceWrite } from '#shared/model/calls/outcome.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { type ToolResult, textOf, type UserPart } from '#shared/model/message.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { beginningOf, tailOf } from '#shared/text/whole-characters.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { findSecrets } from '../../secrets/secrets.ts'
import { failedOutput, type ToolOutput } from '../../tools/tool.ts'
import { changedTheSame, type Ground, type KeptPart } from '../../trial/outcome.ts'
import type { BranchState, CallContext, CallWorkspace } from './call-context.ts'
import { argumentsOf, type RanCall, toolContext } from './run-call.ts'

/** Why a call runs again, and what its first run says about it. */
export interface RanBefore {
  /** A sentence. */
  readonly reason: string
  /** True when a person had edited its arguments. */
  readonly edited: boolean
}

/** The outcome of a run that does not count yet. `before` is null for a first run. */
export async function recordOutcome(
  calls: CallContext,
  { call, context, output, workspace, startedAt }: RanCall,
  ground: Ground,
  before: RanBefore | null,
): Promise<Outcome> {
  const { branchId } = calls.thread()
  const entries = output.entries ?? []
  const environment = entries.find((entry) => entry.type === 'environment.changed')
  const python = entries.find((entry) => entry.type === 'python.kept')
  const places = output.ok ? await recordPlaces(calls, workspace, context.signal) : []
  const result: ToolResult = { outcome: output.ok ? 'ok' : 'error', content: output.content }
  return {
    input: argumentsOf(call),
    edited: call.decision?.type === 'edit' || before?.edited === true,
    tree: calls.branch.hashOf(ground.tree),
    ...{ environment: ground.environment, after: ground.after, ranAgain: before?.reason ?? null },
    patch: output.ok ? workspace.branch.patch() : [],
    layers: output.ok && environment?.branchId === branchId ? environment.layers : null,
    places,
    result: calls.branch.blobs.put(new TextEncoder().encode(JSON.stringify(result))),
    exitCode: output.command?.exitCode ?? null,
    refusedHosts: output.command?.refusedHosts ?? [],
    ignoredChanges: output.command?.ignoredChanges ?? 0,
    ...(output.command?.left && { left: output.command.left }),
    ...(output.command?.commits && { commits: output.command.commits }),
    ...(output.command?.missed && { missed: output.command.missed }),
    reads: output.reads ?? [],
    declares: output.declares ?? [],
    durationMs: Math.max(0, Math.round(ticks(calls.clock) - startedAt)),
    ...(python && {
      python: python.state,
      pythonBefore: ground.python === undefined ? pythonOf(calls) : ground.python,
    }),
    ...(output.diskVersionsSeen && { besides: output.diskVersionsSeen }),
  }
}

/** The variables that Python code of the thread finds. Null for none. */
export function pythonOf({ thread }: CallContext): BlobHash | null {
  return thread().python?.state ?? null
}

async function recordPlaces(
  calls: CallContext,
  workspace: CallWorkspace,
  signal: AbortSignal,
): Promise<readonly PlaceWrite[]> {
  const changed = await workspace.effectsBeside()
  if (changed.length === 0) return []
  const { blobs } = calls.branch
  const now = await calls.openWorkspace(signal, untouched)
  const writes: PlaceWrite[] = []
  for (const { path } of changed) {
    const [was, bytes] = [await contentAt(now, path), await contentAt(workspace, path)]
    writes.push({ path, blob: bytes && blobs.put(bytes), was: was && blobs.put(was) })
  }
  return writes
}

/** Null for no file, and in a place that is closed by now, such as memory that was switched off. */
export async function contentAt(
  { files }: Pick<CallWorkspace, 'files'>,
  path: VirtualPath,
): Promise<Uint8Array | null> {
  try {
    return (await files.stat(path))?.kind === 'file' ? await files.read(path) : null
  } catch (error) {
    if (error instanceof FileTreeError) return null
    throw error
  }
}

/** For a look at the branch: nothing is changed through it. */
export const untouched = { approved: true, written: [] }

/** What a call did aside, for the card, for rules and for scripts. `tree` is what it ran on. */
export async function showEffects(
  { branch }: { readonly branch: Pick<BranchState, 'blobs' | 'changesBetween'> },
  outcome: Outcome,
  tree: Tree,
): Promise<CallEffects> {
  const text = resultIn(branch, outcome).content.map(textOfPart).join('\n')
  const output = cutMiddle(text)
  const secrets = findSecrets(output)
  const hidesSecrets = output !== text && findSecrets(text).length > secrets.length
  const changes = await branch.changesBetween(tree, patchTree(tree, outcome.patch))
  const beside = outcome.places.map(({ path, blob }) => ({ path, isGone: blob === null }))
  return {
    exit_code: outcome.exitCode,
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
    hosts_refused: outcome.refusedHosts,
    duration_ms: outcome.durationMs,
    ignored_changes: outcome.ignoredChanges,
    ...(outcome.left && { left_behind: outcome.left }),
    ...(outcome.commits && { commits: outcome.commits }),
    ...(outcome.missed && { missed: outcome.missed }),
    secrets,
    ...(hidesSecrets && { hidden_secrets: true }),
    ...(outcome.declares.length > 0 && { tasks: outcome.declares.length }),
    ...(outcome.after !== null && { after: outcome.after }),
    ...(outcome.ranAgain !== null && { ran_again: outcome.ranAgain }),
  }
}

/** The result that the model reads when the run is kept. Throws when the store has lost it. */
export function resultIn({ blobs }: Pick<BranchState, 'blobs'>, { result }: Pick<Outcome, 'result'>): ToolResult {
  return JSON.parse(new TextDecoder().decode(blobs.get(result))) as ToolResult
}

function textOfPart(part: UserPart): string {
  return part.type === 'text' ? part.text : `[${part.type}]`
}

function cutMiddle(text: string): string {
  if (text.length <= mostEffectText) return text
  const half = mostEffectText / 2
  return `${beginningOf(text, half)}\n… ${text.length - mostEffectText} characters are not shown …\n${tailOf(text, half)}`
}

/** True when both changed the same and the agent would read the same, apart from how long it took. */
export function didTheSame(branch: Pick<BranchState, 'blobs'>, first: Outcome, second: Outcome): boolean {
  const [one, other] = [first, second].map((outcome) => textOf(resultIn(branch, outcome).content).replace(timing, ''))
  return one === other && changedTheSame(first, second)
}

const timing = /"duration_ms":[\d.]+/g

/**
 * A recorded run as if it had ended just now, so that its result is stored like any other, with exactly these of its
 * changes.
 */
export async function takeUpOutcome(
  calls: CallContext,
  { call, tool }: Pick<RanCall, 'call' | 'tool'>,
  outcome: Outcome,
  { patch, places, left }: KeptPart,
  signal: AbortSignal,
): Promise<RanCall> {
  const { branch } = calls
  const written = outcome.places.map(({ path }) => path)
  const workspace = await calls.openWorkspace(signal, { approved: true, written })
  const problem = await writePlaces(calls, workspace, places)
  const result = resultIn(branch, outcome)
  const note = left.length === 0 ? [] : [{ type: 'text', text: leftText(left) } as const]
  const { callId } = call
  const { branchId } = calls.thread()
  const { layers, python, besides } = outcome
  return {
    call: { ...call, input: outcome.input },
    tool,
    context: toolContext(calls.thread(), workspace, { callId, hosts: [], signal, onOutput: () => {} }),
    workspace,
    output: problem ?? {
      ok: result.outcome === 'ok',
      content: [...result.content, ...note],
      ...{ reads: outcome.reads, declares: outcome.declares },
      ...(besides && { diskVersionsSeen: besides }),
      entries: [
        ...(layers === null ? [] : [{ type: 'environment.changed', branchId, layers, callId } as const]),
        ...(python === undefined ? [] : [{ type: 'python.kept', callId, state: python } as const]),
      ],
    },
    startedAt: ticks(calls.clock) - outcome.durationMs,
    keeps: patch,
  }
}

/** Undefined when all of them could be written; otherwise the output of the call, which then changes nothing. */
async function writePlaces(
  { branch: { blobs } }: CallContext,
  { files }: CallWorkspace,
  places: readonly PlaceWrite[],
): Promise<ToolOutput | undefined> {
  try {
    for (const { path, blob } of places) {
      if (blob !== null) await files.write(path, blobs.get(blob))
      else if (await files.stat(path)) await files.delete(path)
    }
    return undefined
  } catch (error) {
    if (error instanceof FileTreeError) return failedOutput(`None of its changes were kept. ${error.message}`)
    throw error
  }
}

const mostLeftNamed = 50

function leftText(left: readonly VirtualPath[]): string {
  const more = left.length > mostLeftNamed ? ` and ${left.length - mostLeftNamed} more` : ''
  return `The user kept only a part of what this changed. Not kept, so as before: ${left.slice(0, mostLeftNamed).join(', ')}${more}.`
}
