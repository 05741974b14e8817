import type { DeliveryPlan, DeliveryReceipt, Published } from '#shared/contract/views/deliveries.ts'
import type { DeliveryFile } from '#shared/model/delivery.ts'
import { shellWord, shownName } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import { type CommandLine, placeFlags } from '../arguments.ts'
import { type Line, lineOf } from '../screen/spans.ts'

/** Files of one kind that are named in a terminal. */
const mostNamed = 50

/** What a delivery into one repository would do. */
export function planLines({
  branch,
  tip,
  base,
  folder,
  author,
  commits,
  files,
  leftOut,
  notes,
  signs,
}: DeliveryPlan): readonly Line[] {
  if (files.length === 0 && leftOut.length === 0) return [lineOf('No changes: there is nothing to deliver.', 'dim')]
  const where =
    tip === null ? `a new branch ${branch} at ${base.slice(0, 10)}` : `the branch ${branch} (${tip.slice(0, 10)})`
  return [
    lineOf(`To ${where} of ${folder}, as ${author}${signs ? ', signed' : ''}:`),
    ...commits.flatMap(({ message, files: count }): readonly Line[] => {
      const [subject = '', ...body] = message.split('\n')
      return [
        [
          { text: '  commit    ', tone: 'accent' },
          { text: subject },
          { text: `  ${plural(count, 'file', 'files')}`, tone: 'dim' },
        ],
        ...body.map((text) => lineOf(text === '' ? '' : `            ${text}`)),
      ]
    }),
    ...fileLines(files),
    ...leftLines(leftOut),
    ...notes.map((note) => lineOf(note, 'warn')),
  ]
}

function fileLines(files: readonly DeliveryFile[]): readonly Line[] {
  const rows = files
    .slice(0, mostNamed)
    .map(
      ({ path, kind, state, why }): Line => [
        { text: `  ${state.padEnd(9)} `, tone: state === 'ready' || state === 'joined' ? 'good' : 'warn' },
        { text: shownName(path) },
        { text: `  ${why ?? kind}`, tone: 'dim' },
      ],
    )
  return files.length > mostNamed ? [...rows, lineOf(`  and ${files.length - mostNamed} more`, 'dim')] : rows
}

function leftLines(leftOut: DeliveryPlan['leftOut']): readonly Line[] {
  return leftOut.map(
    ({ path, why }): Line => [
      { text: '  left out  ', tone: 'warn' },
      { text: shownName(path) },
      { text: `  ${why}`, tone: 'dim' },
    ],
  )
}

/** The commands that a person may type next, when files have two versions. */
export function conflictLines(line: CommandLine, threadId: string, open: readonly DeliveryFile[]): readonly Line[] {
  const command = `  coppice deliver ${threadId.slice(0, 8)} --to ${shellWord(line.text('to') ?? '')}${placeFlags(line)}`
  const offer = (flags: string, about: string): Line => [
    { text: `${command} ${flags}`, tone: 'accent' },
    { text: `  ${about}`, tone: 'dim' },
  ]
  const [first] = open
  const path = first ? shellWord(first.path) : ''
  const isTheirs = open.some(({ uncommitted }) => uncommitted !== null)
  return [
    lineOf('Nothing was delivered. Decide about the files in conflict, then deliver again:', 'warn'),
    offer(`--ours ${path}`, 'the thread’s version'),
    offer(`--theirs ${path}`, 'the branch’s version'),
    ...(isTheirs ? [offer('--uncommitted include', 'with what you have not committed')] : []),
  ]
}

/** What one repository got. */
export function deliveredLines(
  { repository, branch, before, commits, files }: DeliveryReceipt,
  plans: readonly DeliveryPlan[],
  published: Published | undefined,
): readonly Line[] {
  const plan = plans.find((one) => one.repository === repository)
  const where = repository === '' ? '' : ` in ${shownName(`/${repository}`)}`
  const what = `${plural(commits.length, 'commit', 'commits')}${files > 0 ? `, ${plural(files, 'file', 'files')}` : ''}`
  const made = before === null ? `Made the branch ${branch}` : `Added to the branch ${branch}`
  const told = plan?.files.filter(({ state }) => state === 'left' || state === 'joined') ?? []
  return [
    lineOf(`${made}${where}: ${what}, at ${commits.at(-1)?.slice(0, 10)}.`, 'good'),
    ...fileLines(told),
    ...leftLines(plan?.leftOut ?? []),
    ...(plan?.notes ?? []).map((note) => lineOf(note, 'warn')),
    ...publishedLines(branch, published),
  ]
}

/** What is left out of repositories that got nothing, whose plans no receipt is about. */
export function untoldLines(receipts: readonly DeliveryReceipt[], plans: readonly DeliveryPlan[]): readonly Line[] {
  const told = new Set(receipts.map(({ repository }) => repository))
  return plans.flatMap(({ repository, leftOut }) => (told.has(repository) ? [] : leftLines(leftOut)))
}

/** How the push of a branch and its pull request ended. Without one, what to look at next. */
export function publishedLines(branch: string, published: Published | undefined): readonly Line[] {
  if (!published) return [lineOf(`  git log -p ${shellWord(branch)}`, 'accent')]
  const { problem, remote, pullRequest } = published
  if (problem !== null) return [lineOf(problem, 'bad')]
  return [
    lineOf(`Pushed to ${remote}.`, 'good'),
    ...(pullRequest === null ? [] : [lineOf(`Pull request: ${pullRequest}`, 'good')]),
  ]
}
