import {
  type AgentContext,
  type ContentBlock,
  methods,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk'
import type { Project } from '#host/project/project.ts'
import { type PdfReader, send } from '#host/threads/thread-handlers.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { RunReason, ThreadState } from '#shared/model/thread.ts'
import { cardKind } from '#shared/tools/card.ts'
import { headerOf } from '#shared/tools/card-words.ts'
import { createEditorAsker, openQuestion } from './asker.ts'
import { type Choices, choiceUpdates, chosen } from './choices.ts'
import { availableCommands, commandIn } from './commands.ts'
import { updatesFor } from './entry-updates.ts'
import { historyOf } from './history.ts'
import { readPrompt } from './prompt-content.ts'
import { createScene } from './scene.ts'
import { remark } from './shown-text.ts'

/** A thread as a session of an editor. */
export interface EditorSession extends Disposable {
  readonly project: Project
  readonly id: ThreadId
  choices(): Choices
  /** Throws a `RequestError` for a choice that there is not. */
  choose(configId: string, value: unknown): Promise<void>
  /** Carries out one message to its end. Throws a `RequestError` while another one goes on, and when the run fails. */
  prompt(blocks: readonly ContentBlock[]): Promise<StopReason>
  /** Stops what goes on. */
  cancel(): void
  /** Stops what goes on, unless it waits for a person. Resolves when nothing runs. */
  leave(): Promise<void>
  /** Sends updates, after those before. */
  tell(updates: readonly SessionUpdate[]): Promise<void>
  /** Sends the conversation so far. */
  replay(): Promise<void>
  /** Lists the commands, and says what is not loaded. */
  greet(): Promise<void>
}

export interface SessionPlace {
  readonly host: Host
  readonly project: Project
  readonly editor: AgentContext
  readonly readPdf: PdfReader
  /** The id of the thread, which may not have begun yet. */
  readonly id: ThreadId
}

/** Follows a thread for an editor until it is disposed. */
export function openSession({ host, project, editor, readPdf, id }: SessionPlace): EditorSession {
  const client = createDirectClient(host)
  const projectId = project.info().id
  /** Of a thread that has not begun. */
  let wanted: Choices = { mode: host.settings.read().approvalMode, model: usualModel(host), effort: null }
  let turn: AbortController | null = null
  let isGreeted = false
  const stored = (): ThreadState | undefined => project.family(id)[0]
  const choices = (): Choices => {
    const thread = stored()
    return thread ? { mode: thread.approvalMode, model: thread.model, effort: thread.effort ?? null } : wanted
  }
  const scene = createScene(project, id, () => choiceUpdates(host, choices()))

  let told: Promise<void> = Promise.resolve()
  const after = (work: () => Promise<readonly SessionUpdate[]>): Promise<void> => {
    told = told.then(async () => {
      for (const update of await work()) await editor.notify(methods.client.session.update, { sessionId: id, update })
      // An editor that went away is told nothing any more.
    }).catch(() => undefined)
    return told
  }
  const tell: EditorSession['tell'] = (updates) => after(async () => updates)
  const listening = project.events.listen((event) => {
    const { isTold } = scene
    if (event.threadId === id || project.services.log.rootOf(event.threadId) === id)
      void after(() => updatesFor(event, { ...scene, isTold }))
  })

  async function untilIdle(signal: AbortSignal): Promise<void> {
    using asker = createEditorAsker(scene, client, editor, () => told)
    signal.addEventListener('abort', () => asker.stop(), { once: true })
    do await project.runtime.whenIdle(id)
    while (!signal.aborted && (await asker.settled()))
    await project.runtime.whenIdle(id)
  }

  /** The answer to a question that waits, or a message. */
  async function say(blocks: readonly ContentBlock[]): Promise<void> {
    const { text, images, inputs } = readPrompt(project, blocks)
    const question = openQuestion(scene)
    if (question) {
      const { interrupt, request } = question
      const decision = { type: 'respond', callId: request.callId, message: text } as const
      const { id: interruptId, threadId } = interrupt
      return client.approvals.decide({ projectId, threadId, interruptId, decisions: [decision] })
    }
    scene.typed.add(text)
    const { mode: approvalMode, model, effort } = choices()
    const message = { projectId, text, images, inputs, delivery: 'queue', step: false } as const
    if (stored()) await client.threads.send({ ...message, threadId: id, approvalMode })
    else await send(host, readPdf, { ...message, threadId: null, approvalMode, model, effort }, id)
  }

  async function command({ command: { run }, words }: NonNullable<ReturnType<typeof commandIn>>, signal: AbortSignal) {
    scene.isTold = true
    try {
      const text = await run({ host, scene, editor, words, signal })
      if (text !== '') await tell([remark(text)])
    } catch (error) {
      if (!signal.aborted) await tell([remark(error instanceof Error ? error.message : String(error))])
    } finally {
      await told
      scene.isTold = false
    }
  }

  /** Why the last run stopped, as the protocol says it; what it has no word for is said in the conversation. */
  async function endOf(signal: AbortSignal): Promise<StopReason> {
    const thread = stored()
    const waiting = waitingText(project, id)
    if (waiting !== null && !signal.aborted) await tell([remark(waiting)])
    await told
    if (signal.aborted) return 'cancelled'
    const { end } = thread ?? {}
    if (!end || waiting !== null) return 'end_turn'
    const reason = stopReasons[end.reason]
    if (reason === null) throw RequestError.internalError({ reason: end.reason, cause: end.cause }, end.message)
    if (end.reason !== 'completed' && !(end.reason === 'user')) await tell([remark(end.message)])
    await told
    return reason
  }

  return {
    ...{ project, id, choices, tell },
    async choose(configId, value) {
      const change = chosen(host, configId, value)
      wanted = { ...wanted, ...change }
      const { mode: approvalMode, ...rest } = change
      if (stored()) await client.threads.configure({ projectId, threadId: id, ...rest, ...(approvalMode && { approvalMode }) })
    },
    async prompt(blocks) {
      if (turn !== null)
        throw RequestError.invalidRequest(
          { sessionId: id },
          'This session is still working on a message. Wait for its end, or cancel it first.',
        )
      const control = new AbortController()
      turn = control
      const { signal } = control
      try {
        const [first] = blocks
        const given = first?.type === 'text' ? commandIn(first.text) : null
        if (given && (stored() || given.words.length === 0)) {
          await command(given, signal)
          return signal.aborted ? 'cancelled' : 'end_turn'
        }
        await say(blocks)
        await untilIdle(signal)
        return await endOf(signal)
      } finally {
        turn = null
      }
    },
    cancel() {
      turn?.abort()
      if (turn && stored()) project.runtime.stop(id)
    },
    async leave() {
      turn?.abort()
      const isWaiting = project.family(id).some(({ interrupts }) => interrupts.length > 0)
      if (turn && !isWaiting && stored()) project.runtime.stop(id)
      if (!isWaiting) await project.runtime.whenIdle(id)
    },
    replay: () => after(() => historyOf(scene)),
    async greet() {
      await tell([{ sessionUpdate: 'available_commands_update', availableCommands: await availableCommands(scene) }])
      const { trusted, wouldLoad, path } = project.info()
      if (isGreeted || trusted || wouldLoad.length === 0) return
      isGreeted = true
      await tell([remark(`Not loaded, because ${path} is not trusted: ${wouldLoad.join(', ')}. /trust trusts it.`)])
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}

/** The model of new threads, by its full name where it can be found. */
function usualModel({ settings, provider }: Host): string {
  const { model } = settings.read()
  const resolved = provider.resolveModel(model)
  return resolved.ok ? resolved.value : model
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
        const { question } = request.args
        if (kind === 'question') return `${interrupt.agent} asks: ${String(question ?? request.description)}`
        return `${interrupt.agent} ${headerOf(request, kind)}: ${request.description}`
      }),
    ),
  )
  if (waiting.length === 0) return null
  return `${waiting.join('\n\n')}\n\nThis waits for you: answer with your next message, decide in Coppice, or with \`coppice resume ${id.slice(0, 8)}\`.`
}
