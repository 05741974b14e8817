import { requireChecks } from '#host/headless/require-checks.ts'
import { readGiven } from '#host/inputs/read-given.ts'
import type { DeliveryPlan, DeliveryPlans } from '#shared/contract/views/deliveries.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { MadeCommit } from '#shared/model/calls/outcome.ts'
import { type CommitUnit, commitUnits, type DeliveryFile } from '#shared/model/delivery.ts'
import { isWithin, parseVirtualPath } from '#shared/model/virtual-path.ts'
import { formatMoney } from '#shared/text/format.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, choiceOf, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printStatus } from '../print-status.ts'
import { lineOf } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import { answerAboutThread, type ThreadPlace } from '../thread-verb.ts'
import { hookChangesOf, runHooks, withHooks } from './deliver-hooks.ts'
import { conflictLines, planLines } from './delivery-lines.ts'
import { publishAfter, target } from './publish-after.ts'

/** `coppice deliver`: makes commits of a thread's changes on a branch of git. */
export function deliver(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    requireSense(line)
    if (line.text('commits') === 'agent') return ofAgents(line, place)
    const wanted = wantedOf(line)
    const { plans, ofAgents: made } = await place.client.deliveries.plan({ ...target(place), ...wanted })
    const keep = decided(line, plans)
    const planned =
      keep.length === 0 ? { plans } : await place.client.deliveries.plan({ ...target(place), ...wanted, keep })
    const open = planned.plans.flatMap(({ files }) => files.filter(({ state }) => state === 'conflict'))
    const isDry = line.flag('dry-run')
    if (open.length > 0) return planAnswer(line, place, { plans: planned.plans, ofAgents: made }, open)
    const red = line.flag('require-checks') && !isDry ? await findRed(place) : null
    if (red !== null) return red
    const said = await withProposed(line, place, { ...wanted, keep }, planned.plans)
    if (said === null)
      return {
        value: { threadId: place.thread.id, delivered: [] },
        lines: [lineOf('Stopped. Nothing was delivered.', 'dim')],
        code: exitCodes.stopped,
      }
    const messages = messagesOf(line, place, said)
    const hooked = await runHooks(line, place, { ...target(place), ...wanted, keep, messages })
    if (hooked?.stops) return withHooks(hooked, { value: { threadId: place.thread.id, delivered: [] }, lines: [] })
    if (isDry) return withHooks(hooked, planAnswer(line, place, { plans: said, ofAgents: made }, open))
    const receipts = await place.client.deliveries.make({
      ...{ ...target(place), ...wanted, keep, sign: signOf(line), hooks: hooked?.id ?? null },
      messages,
      expected: planned.plans.map(({ repository, tip }) => ({ repository, tip })),
    })
    return withHooks(hooked, await publishAfter(line, place, { receipts, plans: said }))
  })
}

function requireSense(line: CommandLine): void {
  if (line.text('to') === undefined)
    throw new UsageError(
      'deliver needs --to BRANCH: the branch of git that gets the commits. A new name makes a new branch.',
    )
  if (line.flag('propose') && line.texts('message').length > 0)
    throw new UsageError('--propose and --message exclude each other: either a model writes the messages, or you do.')
  hookChangesOf(line)
  if (line.flag('sign') && line.flag('no-sign')) throw new UsageError('--sign and --no-sign exclude each other.')
  const remote = line.positionals[1]
  if (remote !== undefined && !line.flag('push') && !line.flag('pr'))
    throw new UsageError(`"${remote}" is one argument too many. To push there, add --push.`)
  for (const flag of ['draft', 'pr-base', 'title'])
    if ((line.flag(flag) || line.text(flag) !== undefined) && !line.flag('pr'))
      throw new UsageError(`--${flag} is about a pull request. Add --pr, or leave it out.`)
  if (line.text('commit') !== undefined && line.text('commits') === undefined)
    throw new UsageError('--commit names one of the commits of agents. Add --commits agent.')
  if (choiceOf(line, 'commits', ['agent'], undefined) === undefined) return
  const given = aboutChanges.find(
    (flag) => line.flag(flag) || line.text(flag) !== undefined || line.texts(flag).length > 0,
  )
  if (given !== undefined)
    throw new UsageError(
      `--${given} is about commits that deliver makes. Those of agents are delivered as they are: leave --${given} or --commits agent out.`,
    )
}

/** Flags that have no meaning for commits which exist already. */
const aboutChanges = [
  'per',
  'message',
  'propose',
  'trailer',
  'base',
  'uncommitted',
  'ours',
  'theirs',
  'sign',
  'no-sign',
  'hooks',
]

function wantedOf(line: CommandLine) {
  return {
    to: line.text('to') ?? '',
    base: line.text('base') ?? null,
    per: choiceOf<CommitUnit, CommitUnit>(line, 'per', commitUnits, 'all'),
    uncommitted: choiceOf<'include' | 'leave', 'leave'>(line, 'uncommitted', ['include', 'leave'], 'leave'),
    keep: [],
  }
}

function signOf(line: CommandLine): boolean | null {
  return line.flag('sign') ? true : line.flag('no-sign') ? false : null
}

/** What `--ours` and `--theirs` decide. Throws `UsageError` for a path that nobody has to decide about. */
function decided(line: CommandLine, plans: readonly DeliveryPlan[]) {
  const open = plans.flatMap(({ files }) => files.filter(({ state }) => state !== 'ready'))
  return (['ours', 'theirs'] as const).flatMap((side) =>
    line.texts(side).flatMap((word) => {
      const parsed = parseVirtualPath(word.startsWith('/') ? word : `/${word}`)
      if (!parsed.ok) throw new UsageError(`--${side}: ${word}: ${parsed.error.message}`)
      const inside = open.filter(({ path }) => isWithin(path, parsed.value))
      if (inside.length === 0)
        throw new UsageError(`--${side}: nothing at ${parsed.value} has two versions. --dry-run lists what has.`)
      return inside.map(({ path }) => ({ path, side }))
    }),
  )
}

/** The plans with the messages that a model proposes, when a person wants them. Null when the person stopped that. */
async function withProposed(
  line: CommandLine,
  place: ThreadPlace,
  wanted: Omit<ReturnType<typeof wantedOf>, 'keep'> & { readonly keep: ReturnType<typeof decided> },
  plans: readonly DeliveryPlan[],
): Promise<readonly DeliveryPlan[] | null> {
  if (!line.flag('propose') || plans.every(({ commits }) => commits.length === 0)) return plans
  printStatus('Asking a model for messages …')
  const stopping = new AbortController()
  using _stop = terminal().onStop(() => stopping.abort())
  const { signal } = stopping
  const asked = place.client.deliveries.propose({ ...target(place), ...wanted }, { signal })
  const proposed = await asked.catch((error: unknown) => {
    if (signal.aborted) return null
    throw error
  })
  if (proposed === null) return null
  const { messages, model, cost } = proposed
  printStatus(`Proposed by ${model}${cost === null ? '' : ` (${formatMoney(cost)})`}.`)
  return plans.map((plan) => ({
    ...plan,
    commits: plan.commits.map((commit, at) => ({ ...commit, message: messages[at] ?? commit.message })),
  }))
}

/** The messages of the commits, with the trailers. */
function messagesOf(line: CommandLine, { thread }: ThreadPlace, plans: readonly DeliveryPlan[]): string[] {
  const given = line.texts('message').map(readMessage)
  const trailers = line.texts('trailer').map((text) => (text === 'thread' ? `Coppice-Thread: ${thread.id}` : text))
  const wrong = trailers.find((text) => !/^[A-Za-z0-9-]+: \S/.test(text))
  if (wrong !== undefined)
    throw new UsageError(`--trailer takes a line such as "Co-authored-by: Name <address>", not "${wrong}".`)
  const planned = Math.max(...plans.map(({ commits }) => commits.length), 0)
  // Nothing may be left to deliver when a script says the same again.
  if (planned > 0 && given.length > planned)
    throw new UsageError(
      `There ${planned === 1 ? 'is 1 commit' : `are ${planned} commits`}, and ${given.length} messages.`,
    )
  const proposed = plans.find(({ commits }) => commits.length === planned)?.commits ?? []
  const messages = proposed.map(({ message }, at) => given[at] ?? message)
  return trailers.length === 0 ? messages : messages.map((message) => `${message.trimEnd()}\n\n${trailers.join('\n')}`)
}

function readMessage(word: string): string {
  if (!word.startsWith('@')) return word
  try {
    return readGiven(word.slice(1)).toString('utf8')
  } catch (error) {
    throw new UsageError(`--message: cannot read ${word.slice(1)}: ${(error as Error).message}`)
  }
}

function planAnswer(
  line: CommandLine,
  { thread }: ThreadPlace,
  { plans, ofAgents: made }: DeliveryPlans,
  open: readonly DeliveryFile[],
): VerbAnswer {
  const next = open.length === 0 ? [] : conflictLines(line, thread.id, open)
  return {
    value: { threadId: thread.id, delivered: [], plans, commits_of_agents: made },
    lines: [...plans.flatMap((plan) => planLines(plan)), ...next],
    ...(open.length > 0 && { code: exitCodes.interrupted }),
  }
}

/** The answer when a required check is not green. Null when all are. */
async function findRed({ project, thread }: ThreadPlace): Promise<VerbAnswer | null> {
  printStatus('Running the required checks on the result …')
  const { problem, output, checks } = await requireChecks(project, thread.id, new AbortController().signal)
  if (problem === null) return null
  for (const text of output) printStatus(text)
  return {
    value: { threadId: thread.id, delivered: [], checks },
    lines: [lineOf(problem, 'bad')],
    code: exitCodes.checks,
  }
}

/** Delivers what agents committed: the only end of their commits, or the named one. */
async function ofAgents(line: CommandLine, place: ThreadPlace): Promise<VerbAnswer> {
  const { client, thread } = place
  const commit = await chooseCommit(line, place)
  const about = `${commit.id.slice(0, 10)} “${commit.subject}” of ${thread.agent}`
  const to = line.text('to') ?? ''
  if (line.flag('dry-run'))
    return {
      value: { threadId: thread.id, delivered: [], plans: [], commits_of_agents: [commit] },
      lines: [lineOf(`To the branch ${to}: ${about}, as it is.`)],
    }
  const red = line.flag('require-checks') ? await findRed(place) : null
  if (red !== null) return red
  const receipt = await client.deliveries.makeFromAgents({ ...target(place), to, commit: commit.id })
  printStatus(`Delivering ${about} as it is.`)
  return publishAfter(line, place, { receipts: [receipt], plans: [] })
}

async function chooseCommit(line: CommandLine, place: ThreadPlace): Promise<MadeCommit> {
  const { commits } = await place.client.changes.leftInGit(target(place))
  const known = commits.filter(({ kind }) => kind === 'commit')
  const named = line.text('commit')
  const fitting = named === undefined ? endsOf(known) : known.filter(({ id }) => id.startsWith(named))
  const [first] = fitting
  if (!first)
    throw new WireError(
      'NOT_FOUND',
      named === undefined
        ? 'The agents of this thread left no commits in git. Leave --commits out to deliver its changes.'
        : `The agents of this thread left no commit ${named}.`,
    )
  if (fitting.length > 1)
    throw new UsageError(
      `There are several: ${fitting.map(({ id, branch, subject }) => `${id.slice(0, 10)} (${branch}) ${subject}`).join('; ')}. Choose one with --commit ID.`,
    )
  return first
}

/** The newest commit of each branch. Git lists them first. */
function endsOf<Commit extends { readonly repository: string; readonly branch: string }>(
  commits: readonly Commit[],
): readonly Commit[] {
  const ends = new Map<string, Commit>()
  for (const commit of commits) {
    const key = `${commit.repository} ${commit.branch}`
    if (!ends.has(key)) ends.set(key, commit)
  }
  return [...ends.values()]
}
