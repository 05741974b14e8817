import type { Call } from '#shared/model/call.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ActionRequest } from '#shared/model/interrupt.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { CallAccess } from '#shared/tools/tool-facts.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { changedScripts } from '../../approval/changed-scripts.ts'
import type { Gate } from '../../approval/policy.ts'
import { entriesWithin } from '../../overlay/tree.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { holdsSecret as contentIsSecret, secretContentBytes } from '../../secrets/secret-files.ts'
import type { Tool } from '../../tools/tool.ts'
import type { LoopContext } from '../types/loop-context.ts'
import { argumentsOf } from './run-call.ts'

/** Judges each call once, and keeps the answers until `forget`. */
export interface Judge {
  /** Whether the call runs, asks or is refused. */
  gateOf(call: Call, tool: Tool): Promise<Gate>
  /** The files of the call, as written and as their links lead. */
  accessOf(call: Call, tool: Tool): Promise<CallAccess>
  /** Call it when something may have changed the answers: a decision, or another call that ran. */
  forget(): void
}

export function createJudge(context: LoopContext, signal: AbortSignal): Judge {
  const gates = new Map<ToolCallId, Promise<Gate>>()
  const accesses = new Map<ToolCallId, Promise<CallAccess>>()
  const accessOf: Judge['accessOf'] = (call, tool) => {
    const access = accesses.get(call.callId) ?? context.accessOf(tool, argumentsOf(call))
    accesses.set(call.callId, access)
    return access
  }
  return {
    accessOf,
    gateOf(call, tool) {
      const gate = gates.get(call.callId) ?? judgeCall({ context, call, tool, access: accessOf(call, tool), signal })
      gates.set(call.callId, gate)
      return gate
    },
    forget() {
      gates.clear()
      accesses.clear()
    },
  }
}

async function judgeCall({
  context,
  call,
  tool,
  signal,
  ...given
}: {
  readonly context: LoopContext
  readonly call: Call
  readonly tool: Tool
  readonly access: Promise<CallAccess>
  readonly signal: AbortSignal
}): Promise<Gate> {
  const args = argumentsOf(call)
  const access = await given.access
  const mode = context.approvalMode()
  const parsed = tool.schema.safeParse(args)
  const own = parsed.success ? tool.mustAsk?.(parsed.data, context.threadId) : undefined
  const mustAsk = own ?? context.realFileReason(access)
  const effects = await context.foreseeEffects(call, tool, signal)
  const holdsSecret = await findSecretRead(context, access, signal)
  const isHoldable = tool.isHoldable?.(args) ?? false
  const gate = context.policy({ tool, access, mode, mustAsk, effects, holdsSecret, isHoldable })
  if (gate.kind === 'refuse') return gate
  const staged = await context.stages.judgeCall(call, args, signal)
  return staged?.kind === 'refuse' || gate.kind !== 'ask' ? (staged ?? gate) : gate
}

/** The first file that the call would show and that holds a key or a token. Undefined when there is none. */
async function findSecretRead(
  context: LoopContext,
  { reads }: CallAccess,
  signal: AbortSignal,
): Promise<VirtualPath | undefined> {
  if (reads.length === 0) return undefined
  const { files } = await context.openWorkspace(signal, { approved: true, written: [] })
  for (const path of reads) {
    try {
      const plain = await files.readPlain(path, { offset: 0, length: secretContentBytes })
      if (plain) {
        if (contentIsSecret(path, plain)) return path
        continue
      }
      const size = (await files.stat(path))?.kind === 'file' ? secretContentBytes : 0
      if (size > 0 && contentIsSecret(path, await files.read(path, { offset: 0, length: size }))) return path
    } catch (error) {
      // The tool itself says why a file cannot be read.
      if (!(error instanceof FileTreeError || error instanceof BaseTreeError)) throw error
    }
  }
  return undefined
}

/**
 * What a person cannot see in a command line: which of the files it runs agents changed, or will change before it, and
 * what the project's setup has made for it.
 */
export async function filesOfCommand(
  context: LoopContext,
  { name, command }: { readonly name: string; readonly command: string },
  changedBefore: ReadonlySet<VirtualPath>,
  signal: AbortSignal,
): Promise<Pick<ActionRequest, 'changedBefore' | 'scripts' | 'environment'>> {
  const { before } = await context.openWorkspace(signal, { approved: false, written: [] })
  const changed = [...entriesWithin(before, rootPath)].flatMap(([path, { node }]) =>
    node && node.kind !== 'directory' ? [path] : [],
  )
  const scripts = changedScripts(command, new Set([...changed, ...changedBefore]))
  const environment = findToolFacts(name).opensView ? await context.describeEnvironment() : null
  return {
    ...(environment !== null && { environment }),
    ...(changedBefore.size > 0 && { changedBefore: [...changedBefore].slice(0, mostFilesOnCard) }),
    ...(scripts.length > 0 && { scripts: scripts.slice(0, mostFilesOnCard) }),
  }
}

const mostFilesOnCard = 50
