import { openPublishing } from '#host/delivery/publish.ts'
import type { DeliveryPlan, DeliveryReceipt, Published } from '#shared/contract/views/deliveries.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, placeFlags } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printOutput } from '../print-status.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import type { ThreadPlace } from '../thread-verb.ts'
import { deliveredLines, publishedLines, untoldLines } from './delivery-lines.ts'

/** The workspace of a thread, as commands of the contract name it. */
export function target({ projectId, thread }: ThreadPlace) {
  return { projectId, branchId: thread.branchId }
}

interface Made {
  readonly receipts: readonly DeliveryReceipt[]
  /** Empty for commits of agents. */
  readonly plans: readonly DeliveryPlan[]
}

/** Pushes what was delivered when asked to, and tells everything. */
export async function publishAfter(
  line: CommandLine,
  place: ThreadPlace,
  { receipts: made, plans }: Made,
): Promise<VerbAnswer> {
  const wantsPush = line.flag('push') || line.flag('pr')
  // A push that failed is tried again, when the branch has everything.
  const receipts = made.length > 0 || !wantsPush ? made : await findDelivered(line, place)
  if (receipts.length === 0)
    return {
      value: { threadId: place.thread.id, delivered: [] },
      lines: [lineOf(`No changes: ${line.text('to')} has everything already.`, 'dim')],
    }
  const published = new Map<DeliveryReceipt, Published>()
  const stopping = new AbortController()
  using _stop = terminal().onStop(() => stopping.abort())
  for (const receipt of wantsPush ? receipts : [])
    published.set(receipt, await publishOne(line, place, { receipt, plans }, stopping.signal))
  const failed = [...published.values()].some(({ problem }) => problem !== null)
  const delivered = receipts.map((receipt) => {
    const { repository, branch, before, base, commits, files, sequence } = receipt
    const sent = published.get(receipt)
    return {
      ...{ repository: `/${repository}`, branch, before, base, commits, files, sequence },
      ...(sent && { ...(sent.remote !== '' && { remote: sent.remote }), push_problem: sent.problem }),
      ...(sent?.pullRequest && { pull_request: sent.pullRequest }),
    }
  })
  const { thread } = place
  const undo: Line = lineOf(`  coppice undo ${thread.id.slice(0, 8)}${placeFlags(line)}`, 'accent')
  return {
    value: {
      ...{ threadId: thread.id, delivered },
      files: plans.flatMap(({ files }) => files),
      left_out: plans.flatMap(({ leftOut }) => leftOut),
    },
    lines: [
      ...receipts.flatMap((receipt) => {
        const sent = published.get(receipt)
        return made.length > 0 ? deliveredLines(receipt, plans, sent) : publishedLines(receipt.branch, sent)
      }),
      ...untoldLines(receipts, plans),
      ...(made.length > 0 ? [undo] : []),
    ],
    ...(failed && { code: stopping.signal.aborted ? exitCodes.stopped : exitCodes.failed }),
  }
}

/** The last delivery to the branch in each repository. */
async function findDelivered(line: CommandLine, place: ThreadPlace): Promise<readonly DeliveryReceipt[]> {
  const found = await place.client.deliveries.list(target(place))
  const standing = found.filter(({ branch, undone }) => branch === line.text('to') && !undone)
  return [...new Map(standing.map((one) => [one.repository, one])).values()]
}

async function publishOne(
  line: CommandLine,
  { project, thread }: ThreadPlace,
  { receipt, plans }: { readonly receipt: DeliveryReceipt; readonly plans: readonly DeliveryPlan[] },
  signal: AbortSignal,
): Promise<Published> {
  const { sequence, repository } = receipt
  const messages = plans.find((plan) => plan.repository === repository)?.commits.map(({ message }) => message) ?? []
  const [subject = thread.title] = (line.texts('message')[0] ?? messages[0] ?? thread.title).split('\n')
  const body = messages.length > 1 ? messages.map((message) => `- ${message.split('\n')[0]}`).join('\n') : ''
  const request = {
    ...{ title: line.text('title') ?? subject, body, draft: line.flag('draft') },
    base: line.text('pr-base') ?? null,
  }
  const wanted = { branchId: thread.branchId, sequence, remote: line.positionals[1] ?? null }
  const publish = openPublishing(project, { ...wanted, pullRequest: line.flag('pr') ? request : null })
  using output = printOutput()
  return await publish(output.write, signal)
}
