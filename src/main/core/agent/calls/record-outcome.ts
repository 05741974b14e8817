import { ticks } from '#shared/base/clock.ts'
import { type Call, openOutcome } from '#shared/model/calls/call.ts'
import type { Outcome, PlaceWrite } from '#shared/model/calls/outcome.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import type { ToolResult } from '#shared/model/message.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { patchTree } from '../../overlay/tree.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { failedOutput, type ToolOutput } from '../../tools/tool.ts'
import { type Ground, type Kept, type KeptPart, keep, keepSome, type Now } from '../../trial/outcome.ts'
import type { CallContext, CallWorkspace } from './call-context.ts'
import { argumentsOf, type RanCall, toolContext } from './run-call.ts'
import { resultIn } from './show-effects.ts'

/** The branch as it is. */
export function groundOf({ branch }: Pick<CallContext, 'branch'>): Ground {
  return { tree: branch.tree(), environment: branch.environment(), after: null, reads: [], python: undefined }
}

/** The outcome of a run that does not count yet. `ranAgain` says why it ran again; null for a first run. */
export async function recordOutcome(
  calls: CallContext,
  { call, context, output, workspace, startedAt }: RanCall,
  ground: Ground,
  ranAgain: string | null,
): Promise<Outcome> {
  const { branchId } = calls.thread()
  const entries = output.entries ?? []
  const environment = entries.find((entry) => entry.type === 'environment.changed')
  const python = entries.find((entry) => entry.type === 'python.kept')
  const result: ToolResult = { outcome: output.ok ? 'ok' : 'error', content: output.content }
  return {
    input: argumentsOf(call),
    edited: call.decision?.type === 'edit' || openOutcome(call)?.edited === true,
    tree: calls.branch.hashOf(ground.tree),
    ...{ environment: ground.environment, after: ground.after, ranAgain },
    patch: output.ok ? workspace.branch.patch() : [],
    layers: output.ok && environment?.branchId === branchId ? environment.layers : null,
    places: output.ok ? await recordPlaces(calls, workspace, context.signal) : [],
    result: calls.branch.blobs.put(new TextEncoder().encode(JSON.stringify(result))),
    exitCode: output.command?.exitCode ?? null,
    refusedHosts: output.command?.refusedHosts ?? [],
    ignoredChanges: output.command?.ignoredChanges ?? 0,
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

/** What the call did waits: none of it counts before a person, a rule or its turn keeps it. */
export function keptBack({ callId }: Call, outcome: Outcome): EntryFromTool {
  return { type: 'effects.held', callId, held: outcome }
}

function pythonOf({ thread }: CallContext): BlobHash | null {
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

/** What of an outcome counts: all of it, or what the call's decision chose. Stale when it must run again. */
export async function keptOf(
  calls: CallContext,
  { decision }: Call,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<Kept> {
  const { branch } = calls
  const { changesBetween } = branch
  const tree = branch.tree()
  const whyElse: Now['whyElse'] = () => whyElseStale(calls, outcome, signal)
  const now = { tree, hash: branch.hashOf(tree), environment: branch.environment(), changesBetween, whyElse }
  const chosen = decision?.type === 'approve' ? decision.paths : undefined
  return chosen === undefined ? keep(outcome, now) : keepSome(outcome, chosen, now)
}

/** Null for no file, and in a place that is closed by now, such as memory that was switched off. */
async function contentAt({ files }: Pick<CallWorkspace, 'files'>, path: VirtualPath): Promise<Uint8Array | null> {
  try {
    return (await files.stat(path))?.kind === 'file' ? await files.read(path) : null
  } catch (error) {
    if (error instanceof FileTreeError) return null
    throw error
  }
}

/** Why something beside the branch is another one than the outcome began with. Null when nothing is. */
async function whyElseStale(calls: CallContext, outcome: Outcome, signal: AbortSignal): Promise<string | null> {
  if (outcome.pythonBefore !== undefined && outcome.pythonBefore !== pythonOf(calls))
    return 'It ran again, because the Python variables that it began with are others by now.'
  if (await changedBeside(calls, outcome, signal))
    return 'It ran again, because files beside the project that it changes were changed after it had run.'
  const { drift } = await calls.openWorkspace(signal, untouched, patchTree(calls.branch.tree(), outcome.patch))
  // What the branch had changed before may have drifted before, and running again would not change that.
  for (const [path, [before]] of outcome.patch)
    if (before === null && (await drift(path)) !== null)
      return 'It ran again, because files that it changes were changed on disk after it had run.'
  return null
}

async function changedBeside(calls: CallContext, { places }: Outcome, signal: AbortSignal): Promise<boolean> {
  const known = places.filter(({ was }) => was !== undefined)
  if (known.length === 0) return false
  const now = await calls.openWorkspace(signal, untouched)
  for (const { path, was } of known) {
    const bytes = await contentAt(now, path)
    if ((bytes && now.files.hash(bytes)) !== was) return true
  }
  return false
}

const untouched = { approved: true, written: [] }

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
