import { type Call, openOutcome } from '#shared/model/calls/call.ts'
import { isWithin, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { CallAccess } from '#shared/tools/tool-facts.ts'
import type { JudgedCall, Verdict } from '../../approval/policy.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { isSecret } from '../../secrets/judge-secret.ts'
import { secretContentBytes } from '../../secrets/secret-files.ts'
import type { Tool } from '../../tools/tool.ts'
import type { CallContext, CallWorkspace } from './call-context.ts'
import { fitArguments } from './fit-arguments.ts'
import { untouched } from './record-outcome.ts'
import { argumentProblems, argumentsOf } from './run-call.ts'

/** What the rules, the settings and the user's own stages say about a call before it runs. */
export interface Judgement {
  readonly verdict: Verdict
  /** The files of the call, as written and as their links lead. */
  readonly access: CallAccess
}

export async function judgeCall(calls: CallContext, call: Call, tool: Tool, signal: AbortSignal): Promise<Judgement> {
  const args = argumentsOf(call)
  const { parsed } = fitArguments(tool.schema, args)
  if (!parsed.success) {
    const message = `Invalid arguments for ${call.name}: ${argumentProblems(parsed.error.issues)}`
    return { verdict: { kind: 'refuse', message }, access: await calls.accessOf(tool, args) }
  }
  const question = await describeCall(calls, call, tool, signal)
  const { access, runsAside = false } = question
  // A person has seen what it did and let it count. Only a rule that denies it now may still say no.
  const isSeen = openOutcome(call) !== null && call.decision?.type === 'approve'
  const verdict = calls.judge(isSeen ? { ...question, mode: 'auto' } : question)
  const staged = isSeen ? verdict : withStages(verdict, call)
  // An edit that a stage asks about is tried like any other that somebody is asked about.
  const isTried = runsAside && access.command === null && question.mustAsk === undefined
  if (staged !== verdict && staged.kind === 'ask' && verdict.kind !== 'ask' && isTried)
    return { verdict: { kind: 'try', question: staged }, access }
  return { verdict: staged, access }
}

/** What rules and the mode say, or what stages said where that is stricter. */
export function withStages(verdict: Verdict, call: Call): Verdict {
  const staged = stagedVerdict(call)
  if (verdict.kind === 'refuse' || staged === null || staged.kind === 'allow') return verdict
  // In the mode Plan a person's word lets a command run, and nothing that it changes is kept.
  if (staged.kind === 'ask' && verdict.kind === 'drop') return { ...staged, drops: true }
  if (staged.kind === 'ask' && verdict.kind === 'ask') return { ...verdict, rule: `${verdict.rule}; ${staged.rule}` }
  return staged
}

type StagedVerdict =
  | Exclude<Verdict, { kind: 'try' | 'drop' | 'run' }>
  | { readonly kind: 'allow'; readonly by: string }

function allowedBy(call: Call): string | undefined {
  const staged = stagedVerdict(call)
  return staged?.kind === 'allow' ? staged.by : undefined
}

/** What stages said about the call as it is now. Null for nothing. */
function stagedVerdict({ staged }: Call): StagedVerdict | null {
  if (!staged?.verdict) return null
  const { kind, by, reason } = staged.verdict
  const why = reason === '' ? by : `${by}: ${reason}`
  switch (kind) {
    case 'refuse':
      return { kind, message: `Refused by ${why}` }
    case 'ask':
      return { kind, rule: why, risk: 'high', allowed: ['approve', 'edit', 'reject'] }
    case 'allow':
      return { kind, by: why }
  }
}

/** The call as the rules judge it. */
export async function describeCall(
  calls: CallContext,
  call: Call,
  tool: Tool,
  signal: AbortSignal,
): Promise<JudgedCall> {
  const args = argumentsOf(call)
  const access = await calls.accessOf(tool, args)
  const { parsed } = fitArguments(tool.schema, args)
  const own = parsed.success ? tool.mustAsk?.(parsed.data, calls.threadId) : undefined
  const { reads, writes } = access
  const opened = reads.length + writes.length > 0 && (await calls.openWorkspace(signal, untouched))
  return {
    ...{ tool, access, mode: calls.approvalMode(), mustAsk: own ?? calls.realFileReason(access) },
    ...{ runsAside: tool.runsAside?.(args) ?? false, allowedBy: allowedBy(call) },
    holdsSecret: opened ? await findSecretRead(opened, reads) : undefined,
    replacesSecret: opened ? await findSecretReplaced(opened, writes) : undefined,
    effects: await calls.foreseeEffects(call, tool, signal),
  }
}

/** True for an edit or for code: what it does stays on the branch. */
export function isTriedEdit(call: Call, tool: Tool): boolean {
  return tool.access.command === null && (tool.runsAside?.(argumentsOf(call)) ?? false)
}

/** Entries of folders that are looked at before one is deleted or moved. That takes a few seconds at most. */
const mostLookedAt = 10_000

/**
 * The first file of the person's that the call would replace, move or delete and that holds a secret. What the agent put
 * in its place before is the agent's own. A folder with more entries than anybody waits for may hold one.
 */
async function findSecretReplaced(
  { files }: Pick<CallWorkspace, 'files'>,
  writes: readonly VirtualPath[],
): Promise<VirtualPath | undefined> {
  const found = [...writes]
  for (let looked = 0; looked < found.length; looked += 1) {
    const path = found[looked]
    if (path === undefined || looked >= mostLookedAt) return writes.find((one) => path && isWithin(path, one))
    try {
      const plain = await files.readPlain(path, { offset: 0, length: secretContentBytes })
      if (plain !== undefined && isSecret(path, plain)) return path
      if (plain !== undefined || (await files.stat(path))?.kind !== 'directory') continue
      for (const { name } of (await files.list(path))?.entries ?? []) found.push(joinPath(path, name))
    } catch (error) {
      if (!(error instanceof FileTreeError || error instanceof BaseTreeError)) throw error
    }
  }
  return undefined
}

/**
 * The first file that the call would show and that holds a secret. Null when each of them was judged and none does;
 * a folder shows nothing by itself. Undefined when some could not be read, so that their names count.
 */
async function findSecretRead(
  { files }: Pick<CallWorkspace, 'files'>,
  reads: readonly VirtualPath[],
): Promise<VirtualPath | null | undefined> {
  if (reads.length === 0) return undefined
  let isJudged = true
  for (const path of reads) {
    try {
      const range = { offset: 0, length: secretContentBytes }
      const plain = await files.readPlain(path, range)
      const kind = plain ? 'file' : (await files.stat(path))?.kind
      if (kind === 'file' && isSecret(path, plain ?? (await files.read(path, range)))) return path
      if (kind !== 'file' && kind !== 'directory') isJudged = false
    } catch (error) {
      // The tool itself says why a file cannot be read.
      if (!(error instanceof FileTreeError || error instanceof BaseTreeError)) throw error
      isJudged = false
    }
  }
  return isJudged ? null : undefined
}
