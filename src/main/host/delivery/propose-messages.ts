import { findApplyTarget } from '#core/commands/apply.ts'
import { unwrap } from '#core/commands/command.ts'
import { type CommitsToDescribe, describeCommits } from '#core/delivery/describe-commits.ts'
import { messagesSchema, readMessages } from '#core/delivery/read-messages.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { DeliveryError, type FileVersion } from '#core/ports/git-delivery.ts'
import { commitMessagesPrompt, commitMessagesTask } from '#core/prompts/commit-messages.ts'
import { redact } from '#core/secrets/secrets.ts'
import type { ProposedMessages } from '#shared/contract/views/deliveries.ts'
import { answerOf } from '#shared/model/thread.ts'
import { beginningOf, tailOf } from '#shared/text/whole-characters.ts'
import type { Project } from '../project/project.ts'
import { type DeliveryRequest, type PreparedDelivery, prepareDeliveries } from './prepare-delivery.ts'

/** More are not named one by one in a single answer. */
const mostCommits = 50
/** Tokens for one answer, and for each commit. */
const tokens = { answer: 4_000, commit: 300 }
/** Characters of the todos, and of the end of what the agent said last. */
const mostOfTodos = 6_000
const mostOfAnswer = 6_000

/**
 * Asks a model once for messages of the commits that a delivery would make. What it cost is stored with the thread. Throws
 * `DeliveryError` when there is no proposal; the planned messages are good all the same.
 */
export async function proposeMessages(
  project: Project,
  request: DeliveryRequest,
  signal = new AbortController().signal,
): Promise<ProposedMessages> {
  const { log, textMerge, ids } = project.services
  const { threadId } = unwrap(findApplyTarget(log, request.branchId))
  const thread = readThread(log, threadId)
  if (!thread) throw new DeliveryError('not_found', `There is no thread ${threadId}.`)
  using opened = new DisposableStack()
  const prepared = await prepareDeliveries(project, request, opened)
  const count = Math.max(0, ...prepared.map(({ commits }) => commits.length))
  if (count === 0) throw new DeliveryError('refused', 'There are no commits to propose messages for.')
  if (count > mostCommits)
    throw new DeliveryError(
      'refused',
      `There are ${count} commits, and messages are proposed for at most ${mostCommits}. Make fewer commits, or keep the planned messages.`,
    )
  const task = commitMessagesTask({
    ...{ title: thread.title, count, word: ids.next() },
    todos: beginningOf(
      redact(thread.todos.map(({ content, status }) => `${status}: ${content}`).join('\n')),
      mostOfTodos,
    ),
    answer: tailOf(redact(answerOf(thread)), mostOfAnswer),
    commits: await describeCommits(await Promise.all(prepared.map(withBase)), textMerge),
  })
  const maxTokens = tokens.answer + count * tokens.commit
  const question = { purpose: 'delivery', system: commitMessagesPrompt, outputSchema: messagesSchema } as const
  const said = await project.runtime.ask(threadId, { ...question, task, maxTokens }, signal)
  if (!said.ok) throw new DeliveryError('refused', `No messages were proposed. ${said.error}`)
  const { text, model, usage } = said.value
  const messages = readMessages(text, count)
  if (messages === null)
    throw new DeliveryError(
      'refused',
      `No messages were proposed, because the answer of ${model} cannot be used. Try again, or keep the planned messages.`,
    )
  return { messages, model, cost: usage.cost }
}

/** What the commits change, as it is before the first one. A content that a partial clone has not fetched is missing. */
async function withBase({ repository, commits, delivery }: PreparedDelivery): Promise<CommitsToDescribe> {
  const { ground } = delivery
  const paths = new Set(commits.flatMap(({ files }) => [...files.keys()]))
  const there = await delivery.filesAt(ground.tip ?? ground.base, [...paths])
  const contents = await delivery.contentsOf([...new Set([...there.values()].map(({ id }) => id))])
  const base = [...there].map(([path, file]): [string, FileVersion] => [
    path,
    { ...file, bytes: contents.get(file.id) },
  ])
  return { repository, commits, base: new Map(base) }
}
