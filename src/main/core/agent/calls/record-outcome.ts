import { ticks } from '#shared/base/clock.ts'
import { type Call, openOutcome } from '#shared/model/calls/call.ts'
import type { Outcome, PlaceWrite } from '#shared/model/calls/outcome.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { ToolResult } from '#shared/model/message.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { patchTree } from '../../overlay/tree.ts'
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
  { call, output, workspace, startedAt }: RanCall,
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
    places: output.ok ? await recordPlaces(calls, workspace) : [],
    result: calls.branch.blobs.put(new TextEncoder().encode(JSON.stringify(result))),
    exitCode: output.command?.exitCode ?? null,
    refusedHosts: output.command?.refusedHosts ?? [],
    ignoredChanges: output.command?.ignoredChanges ?? 0,
    reads: output.reads ?? [],
    declares: output.declares ?? [],
    durationMs: Math.max(0, Math.round(ticks(calls.clock) - startedAt)),
    ...(python && { python: python.state }),
    ...(output.diskVersionsSeen && { besides: output.diskVersionsSeen }),
  }
}

/** What the call did waits: none of it counts before a person, a rule or its turn keeps it. */
export function keptBack({ callId }: Call, outcome: Outcome): EntryFromTool {
  return { type: 'effects.held', callId, held: outcome }
}

async function recordPlaces(
  { branch: { blobs } }: CallContext,
  workspace: CallWorkspace,
): Promise<readonly PlaceWrite[]> {
  const writes: PlaceWrite[] = []
  for (const { path } of await workspace.effectsBeside()) {
    const node = await workspace.files.stat(path)
    writes.push({ path, blob: node?.kind === 'file' ? blobs.put(await workspace.files.read(path)) : null })
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
  const tree = branch.tree()
  const { changesBetween } = branch
  const hasDrifted: Now['hasDrifted'] = async (patch) => {
    const { drift } = await calls.openWorkspace(signal, untouched, patchTree(tree, patch))
    // What the branch had changed before may have drifted before, and running again would not change that.
    for (const [path, [before]] of patch) if (before === null && (await drift(path)) !== null) return true
    return false
  }
  const now = { tree, hash: branch.hashOf(tree), environment: branch.environment(), changesBetween, hasDrifted }
  const chosen = decision?.type === 'approve' ? decision.paths : undefined
  return chosen === undefined ? keep(outcome, now) : keepSome(outcome, chosen, now)
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
  for (const { path, blob } of places) {
    if (blob !== null) await workspace.files.write(path, branch.blobs.get(blob))
    else if (await workspace.files.stat(path)) await workspace.files.delete(path)
  }
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
    output: {
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

const mostLeftNamed = 50

function leftText(left: readonly VirtualPath[]): string {
  const more = left.length > mostLeftNamed ? ` and ${left.length - mostLeftNamed} more` : ''
  return `The user kept only a part of what this changed. Not kept, so as before: ${left.slice(0, mostLeftNamed).join(', ')}${more}.`
}
