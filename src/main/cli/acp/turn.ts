import { type ContentBlock, RequestError, type SessionUpdate, type StopReason } from '@agentclientprotocol/sdk'
import type { Project } from '#host/project/project.ts'
import { type PdfReader, send } from '#host/threads/thread-handlers.ts'
import type { DirectClient } from '#host/wiring/direct-client.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { RunReason } from '#shared/model/thread.ts'
import { cardKind } from '#shared/tools/card.ts'
import { headerOf } from '#shared/tools/card-words.ts'
import { questionText } from '#shared/tools/questions.ts'
import { createEditorAsker, openQuestion } from './asker.ts'
import type { Choices } from './choices.ts'
import { type CommandPlace, commandIn, type GivenCommand } from './commands.ts'
import { mostAttached, readPrompt } from './prompt-content.ts'
import { readUnsaved } from './unsaved.ts'
import { remark } from './updates/shown-text.ts'

/** What one request of an editor works with. */
export interface TurnPlace extends Omit<CommandPlace, 'words'> {
  readonly client: DirectClient
  readonly readPdf: PdfReader
  /** Whether the editor tells its text of a file that is not saved. */
  readonly readsBuffers: boolean
  /** What a new thread begins with. */
  readonly choices: () => Choices
  /** Sends updates after those before. Resolves when the editor has them. */
  readonly tell: (updates: readonly SessionUpdate[]) => Promise<void>
}

/** Carries out one message to its end: a command of the session, or work of its agent. Throws when the run fails. */
export async function takeTurn(place: TurnPlace, blocks: readonly ContentBlock[]): Promise<StopReason> {
  const { scene, signal } = place
  const [first] = blocks
  const given = first?.type === 'text' ? commandIn(first.text) : null
  if (given) {
    await runCommand(place, given)
    return signal.aborted ? 'cancelled' : 'end_turn'
  }
  await say(place, blocks)
  await untilIdle(place)
  return endOf(place, scene.project, scene.root)
}

async function runCommand(place: TurnPlace, { command, words }: GivenCommand): Promise<void> {
  const { scene, tell, signal } = place
  scene.isTold = true
  try {
    const text = hasBegun(place) || command.needsNoThread ? await command.run({ ...place, words }) : nothingYet
    if (text !== '') await tell([remark(text)])
  } catch (error) {
    if (!signal.aborted) await tell([remark(error instanceof Error ? error.message : String(error))])
  } finally {
    // What the command did is still on its way to the editor, where it is not said twice.
    await tell([])
    scene.isTold = false
  }
}

const nothingYet = 'Nothing was done in this session yet. Say what Coppice should do.'

function hasBegun({ scene }: TurnPlace): boolean {
  return scene.project.family(scene.root).length > 0
}

/** A message to the agent, the answer to its question that waits, or what should be different in its plan. */
async function say(place: TurnPlace, blocks: readonly ContentBlock[]): Promise<void> {
  const { host, client, readPdf, scene, choices } = place
  const { project, root } = scene
  const projectId = project.info().id
  const typed = readPrompt(project, blocks)
  const question = openQuestion(scene)
  if (question) {
    const { interrupt, request } = question
    const type = cardKind(interrupt, request) === 'plan' ? 'reject' : 'respond'
    const decision = { type, callId: request.callId, message: typed.text } as const
    const { id: interruptId, threadId } = interrupt
    return client.approvals.decide({ projectId, threadId, interruptId, decisions: [decision] })
  }
  const unsaved = await readUnsaved(place, client, scene, blocks, mostAttached - typed.inputs.length)
  const text = `${typed.text}${unsaved.text}`
  scene.typed.add(text)
  const { mode: approvalMode, model, effort } = choices()
  const inputs = [...typed.inputs, ...unsaved.inputs]
  const message = { projectId, text, images: typed.images, inputs, delivery: 'queue', step: false } as const
  if (hasBegun(place)) await client.threads.send({ ...message, threadId: root, approvalMode })
  else await send(host, readPdf, { ...message, threadId: null, approvalMode, model, effort }, root)
}

/** Asks the person at the editor about what waits, until nothing can go on. */
async function untilIdle({ scene, client, editor, tell, signal }: TurnPlace): Promise<void> {
  const { runtime } = scene.project
  using asker = createEditorAsker(scene, client, editor, () => tell([]))
  signal.addEventListener('abort', () => asker.stop(), { once: true })
  do await runtime.whenIdle(scene.root)
  while (!signal.aborted && (await asker.settled()))
  await runtime.whenIdle(scene.root)
}

/** Why the run stopped, as the protocol says it. What it has no word for is said in the conversation. */
async function endOf({ tell, signal }: TurnPlace, project: Project, id: ThreadId): Promise<StopReason> {
  if (signal.aborted) {
    await tell([])
    return 'cancelled'
  }
  const waiting = waitingText(project, id)
  await tell(waiting === null ? [] : [remark(waiting)])
  const { end = null } = project.family(id)[0] ?? {}
  if (end === null || waiting !== null) return 'end_turn'
  const reason = stopReasons[end.reason]
  if (reason === null) throw RequestError.internalError({ reason: end.reason, cause: end.cause }, end.message)
  if (end.reason !== 'completed' && end.reason !== 'user') await tell([remark(end.message)])
  return reason
}

/** The stop reason for each end of a run. Null for a failure, which is an error. */
const stopReasons: Readonly<Record<RunReason, StopReason | null>> = {
  ...{ completed: 'end_turn', goal: 'end_turn', interrupt: 'end_turn', step: 'end_turn', user: 'cancelled' },
  ...{ budget: 'max_turn_requests', max_tokens: 'max_tokens', context_window_exceeded: 'max_tokens' },
  ...{ refusal: 'refusal', restart: 'end_turn', invalid_answer: 'end_turn' },
  ...{ model_error: null, storage: null, internal_error: null },
}

/** What waits for the person at the end of a request. Null for nothing. */
function waitingText(project: Project, id: ThreadId): string | null {
  const waiting = project.family(id).flatMap(({ interrupts }) =>
    interrupts.flatMap((interrupt) =>
      interrupt.action_requests.map((request) => {
        const kind = cardKind(interrupt, request)
        if (kind === 'question') return `${interrupt.agent} asks: ${questionText(request.args) || request.description}`
        return `${interrupt.agent} ${headerOf(request, kind)}: ${request.description}`
      }),
    ),
  )
  if (waiting.length === 0) return null
  return `${waiting.join('\n\n')}\n\nThis waits for you: answer with your next message, decide in Coppice, or with \`coppice resume ${id.slice(0, 8)}\`.`
}
