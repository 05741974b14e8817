import type { MergeReceipt } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import { plural } from '#shared/text/plural.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, choiceOf, placeFlags, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import {
  answerAboutThread,
  branchesOf,
  doWithEach,
  failureLines,
  failuresOf,
  findNamedBranches,
  pathsOf,
  type ThreadPlace,
} from '../thread-verb.ts'
import { mergeGreen } from './merge-green.ts'

/** `coppice merge`: joins branches into their parents, and leaves what conflicts. */
export function merge(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const words = line.positionals.slice(1)
    const isAll = line.text('all') !== undefined
    const isGreen = line.text('when') !== undefined
    if (isAll) choiceOf(line, 'all', ['clean'], 'clean')
    if (isGreen) return mergeGreen(place, greenBranches(line, place, words))
    if (isAll === words.length > 0)
      throw new UsageError('merge needs branches, --all clean, or --when green. "coppice branches THREAD" lists them.')
    if (isAll && (line.flag('force') || line.texts('paths').length > 0))
      throw new UsageError('--all clean merges whole branches without conflicts. Leave out --force and --paths.')
    if (isAll) return mergeClean(line, place)
    const { state } = place.project.services.log
    const branches = findNamedBranches(state, place.thread, words)
    return mergeNamed(line, place, branches)
  })
}

/** The branches of `--when green`: those that are named, or every open one. */
function greenBranches(line: CommandLine, { project, thread }: ThreadPlace, words: readonly string[]) {
  choiceOf(line, 'when', ['green'], 'green')
  if (line.flag('force') || line.texts('paths').length > 0)
    throw new UsageError('--when green merges whole branches without conflicts. Leave out --force and --paths.')
  const { state } = project.services.log
  if (words.length > 0) return findNamedBranches(state, thread, words)
  return branchesOf(state, thread.id).filter(({ status }) => status === 'open')
}

async function mergeClean(line: CommandLine, { client, project, projectId, thread }: ThreadPlace): Promise<VerbAnswer> {
  const { state } = project.services.log
  const branches = branchesOf(state, thread.id).filter(({ status }) => status === 'open')
  const { sequences, left } = await client.branches.mergeReady({ projectId, branchIds: branches.map(({ id }) => id) })
  const leftBranches = branches.filter(({ id }) => left.includes(id))
  return {
    value: {
      threadId: thread.id,
      sequences,
      left: leftBranches.map(({ id, handle, name }) => ({ branchId: id, handle, name })),
    },
    lines: [
      lineOf(`Merged ${plural(sequences.length, 'branch', 'branches')}.`, sequences.length > 0 ? 'good' : 'dim'),
      ...leftBranches.map(({ name, handle }) => lineOf(`Left with conflicts: ${name} (${handle})`, 'warn')),
      ...(leftBranches.length > 0 ? nextLines(line, thread.id, leftBranches[0]) : []),
    ],
    ...(left.length > 0 && { code: exitCodes.interrupted }),
  }
}

async function mergeNamed(line: CommandLine, place: ThreadPlace, branches: readonly Branch[]): Promise<VerbAnswer> {
  const { client, projectId, thread } = place
  const [paths, force] = [pathsOf(line), line.flag('force')]
  const outcomes = await doWithEach(branches, ({ id: branchId }) =>
    client.branches.merge({ projectId, branchId, paths, force, strategy: 'three_way' }),
  )
  const merged = outcomes.done.map(({ branch, result: receipt }) => ({ branch, receipt }))
  const conflicting = merged.filter(({ receipt }) => unsettledIn(receipt).length > 0)
  return {
    value: {
      threadId: thread.id,
      merges: merged.map(({ branch: { id, handle, name }, receipt }) => ({ branchId: id, handle, name, ...receipt })),
      failed: failuresOf(outcomes),
    },
    lines: [
      ...merged.flatMap(({ branch, receipt }) => receiptLines(branch, receipt)),
      ...failureLines(outcomes),
      ...(conflicting.length > 0 ? nextLines(line, thread.id, conflicting[0]?.branch) : []),
    ],
    ...(conflicting.length > 0 && { code: exitCodes.interrupted }),
    ...(outcomes.code !== null && { code: outcomes.code }),
  }
}

/** Conflicts that were left. A forced merge names its conflicts too, and settles them. */
function unsettledIn({ result }: MergeReceipt): MergeReceipt['result']['conflicts'] {
  return result.conflicts.filter(({ path }) => result.skipped.includes(path))
}

function receiptLines({ name }: Branch, receipt: MergeReceipt): readonly Line[] {
  const { written, deleted, renamed, merged } = receipt.result
  const done = [...written, ...merged, ...deleted, ...renamed.map(({ from, to }) => `${from} → ${to}`)]
  return [
    done.length === 0
      ? lineOf(`${name}: nothing was merged`, 'dim')
      : lineOf(`${name}: merged ${[...new Set(done)].join(', ')}`, 'good'),
    ...unsettledIn(receipt).map(({ path, reason }) =>
      lineOf(`${name}: conflict in ${path} (${reason.replaceAll('_', ' and ')})`, 'warn'),
    ),
  ]
}

function nextLines(line: CommandLine, threadId: string, branch: Branch | undefined): readonly Line[] {
  if (!branch) return []
  const named = `${threadId.slice(0, 8)} ${branch.handle ?? branch.id}${placeFlags(line)}`
  return [
    lineOf(`  coppice diff ${named}`, 'accent'),
    [
      { text: `  coppice merge ${named} --force`, tone: 'accent' },
      { text: '  take its version; the window joins by hand', tone: 'dim' },
    ],
  ]
}
