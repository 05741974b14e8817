import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { CheckoutView, MadeCheckout } from '#shared/contract/views/checkouts.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { shellWord, shownName } from '#shared/text/control-characters.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { answerAboutThread, findAnyBranch, type ThreadPlace } from '../thread-verb.ts'
import { choicesOf, closing, takenAnswer } from './take-back.ts'

/** `coppice checkout`: puts a branch into a folder of its own, and takes back what a person changed there. */
export function checkout(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const [, word = '', wanted] = line.positionals
    if (wanted === undefined)
      throw new UsageError('checkout needs a thread, a branch (workspace is that of the thread) and a folder.')
    requireSense(line)
    const branchId = findAnyBranch(place.project.services.log.state, place.thread, word)
    const folder = realFolder(wanted)
    if (line.flag('back') || line.flag('remove')) return takeBack(line, place, { branchId, folder, word })
    const { client, projectId } = place
    const made = await client.checkouts.make({ projectId, branchId, folder, gitBranch: line.text('branch') ?? null })
    return madeAnswer(line, place, { branchId, made, word })
  })
}

function requireSense(line: CommandLine): void {
  const takes = line.flag('back') || line.flag('remove')
  if (takes && line.text('branch') !== undefined)
    throw new UsageError('--branch is for a new checkout. Leave it out to take one back.')
  if (line.flag('force') && !line.flag('remove'))
    throw new UsageError('--force is about --remove. Add that, or leave it out.')
  if (!takes && (line.texts('ours').length > 0 || line.texts('theirs').length > 0))
    throw new UsageError('--ours and --theirs decide about what is taken back. Add --back or --remove.')
}

/** Links above the folder are resolved, as the checkout has it. */
function realFolder(wanted: string): string {
  const folder = resolve(wanted)
  try {
    return join(realpathSync.native(dirname(folder)), basename(folder))
  } catch {
    return folder
  }
}

interface Named {
  readonly branchId: BranchId
  readonly folder: string
  readonly word: string
}

async function takeBack(line: CommandLine, place: ThreadPlace, { branchId, folder, word }: Named): Promise<VerbAnswer> {
  const { client, projectId, thread } = place
  const known = await client.checkouts.list({ projectId, branchId })
  const found = known.find((one) => one.folder === folder && one.branchId === branchId)
  if (!found) throw new WireError('NOT_FOUND', notKnown(folder, known))
  const named = { projectId, branchId, checkoutId: found.id, choices: choicesOf(line) }
  const removed = line.flag('remove')
  const again = `coppice checkout ${thread.id.slice(0, 8)} ${shellWord(word)} ${shellWord(folder)} ${removed ? '--remove' : '--back'}${placeFlags(line)}`
  const taken = removed
    ? await closing(() => client.checkouts.close({ ...named, loses: line.flag('force') }), again)
    : await client.checkouts.takeBack(named)
  return takenAnswer(place, { branchId, folder, taken, removed, again })
}

function notKnown(folder: string, known: readonly CheckoutView[]): string {
  const others = known.filter(({ kind }) => kind !== 'editor').map((one) => one.folder)
  const there = others.length === 0 ? 'This thread has none.' : `This thread has: ${others.join(', ')}.`
  return `${folder} is no checkout of this branch. ${there}`
}

interface Made {
  readonly branchId: BranchId
  readonly made: MadeCheckout
  readonly word: string
}

function madeAnswer(line: CommandLine, { thread }: ThreadPlace, { branchId, made, word }: Made): VerbAnswer {
  const { checkoutId, folder, kind, commit, gitBranch, leftOut } = made
  const back = `  coppice checkout ${thread.id.slice(0, 8)} ${shellWord(word)} ${shellWord(folder)} --back${placeFlags(line)}`
  return {
    value: { threadId: thread.id, branchId, checkoutId, folder, kind, commit, branch: gitBranch, left_out: leftOut },
    lines: [
      lineOf(
        kind === 'worktree'
          ? `Made a worktree in ${folder}, ${gitBranch === null ? `at ${commit?.slice(0, 10)}` : `on the branch ${gitBranch}`}.`
          : `Made ${folder} with the files alone, because there is no git repository.`,
        'good',
      ),
      ...leftOut.map(
        ({ path, why }): Line => [
          { text: '  left out  ', tone: 'warn' },
          { text: shownName(path) },
          { text: `  It is ${why}.`, tone: 'dim' },
        ],
      ),
      [
        { text: back, tone: 'accent' },
        { text: '  what you change there', tone: 'dim' },
      ],
    ],
  }
}
