import {
  type AgentContext,
  type ContentBlock,
  methods,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk'
import type { Project } from '#host/project/project.ts'
import type { PdfReader } from '#host/threads/thread-handlers.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { RunLine } from '../run-verb.ts'
import { type Choices, choiceUpdates, chosen } from './choices.ts'
import { availableCommands } from './commands.ts'
import { takeTurn } from './turn.ts'
import { updatesFor } from './updates/entry-updates.ts'
import { historyOf } from './updates/history.ts'
import { createScene } from './updates/scene.ts'
import { remark } from './updates/shown-text.ts'

/** A thread as a session of an editor. */
export interface EditorSession extends Disposable {
  readonly id: ThreadId
  readonly project: Project
  choices(): Choices
  /** Throws a `RequestError` for a choice that there is not. */
  choose(configId: string, value: unknown): Promise<void>
  /** Carries out one message to its end. Throws a `RequestError` while another one goes on, and when the run fails. */
  prompt(blocks: readonly ContentBlock[]): Promise<StopReason>
  /** Stops what goes on. */
  cancel(): void
  /** Stops what goes on, unless it waits for a person. Resolves when nothing runs. */
  leave(): Promise<void>
  /** Sends the conversation so far. */
  replay(): Promise<void>
  /** The commands, and what is not loaded, for an editor that knows the session. */
  greeting(): Promise<readonly SessionUpdate[]>
  /** Sends updates after those before. */
  tell(updates: readonly SessionUpdate[]): Promise<void>
}

export interface SessionPlace {
  readonly host: Host
  readonly runLine: RunLine
  readonly project: Project
  readonly editor: AgentContext
  readonly readsBuffers: boolean
  readonly readPdf: PdfReader
  /** The id of the thread, which may not have begun yet. */
  readonly id: ThreadId
  /** What was chosen for it before; null for the usual. */
  readonly choices: Choices | null
}

/** Follows a thread for an editor until it is disposed. */
export function openSession(given: SessionPlace): EditorSession {
  const { host, project, editor, id } = given
  const client = createDirectClient(host)
  /** Of a thread that has not begun. */
  let wanted = given.choices ?? usualChoices(host)
  let turn: AbortController | null = null
  const stored = (): ThreadState | undefined => project.family(id)[0]
  const choices = (): Choices => choicesOf(stored()) ?? wanted
  const scene = createScene(project, id, () => choiceUpdates(host, choices()))
  const after = createTeller(editor, id)
  const tell = (updates: readonly SessionUpdate[]): Promise<void> => after(async () => updates)
  const listening = project.events.listen((event) => {
    const { isTold } = scene
    if (event.threadId === id || project.services.log.rootOf(event.threadId) === id)
      void after(() => updatesFor(event, { ...scene, isTold }))
  })
  const isWaiting = (): boolean => project.family(id).some(({ interrupts }) => interrupts.length > 0)

  return {
    ...{ id, project, choices, tell },
    async choose(configId, value) {
      const change = chosen(host, configId, value)
      wanted = { ...wanted, ...change }
      const { mode: approvalMode, ...rest } = change
      const configured = { ...rest, ...(approvalMode && { approvalMode }) }
      if (stored()) await client.threads.configure({ projectId: project.info().id, threadId: id, ...configured })
    },
    async prompt(blocks) {
      if (turn !== null) throw RequestError.invalidRequest({ sessionId: id }, busy)
      turn = new AbortController()
      try {
        return await takeTurn({ ...given, client, scene, choices, tell, signal: turn.signal }, blocks)
      } finally {
        turn = null
      }
    },
    cancel() {
      turn?.abort()
      if (turn && stored()) project.runtime.stop(id)
    },
    async leave() {
      const isGoing = turn !== null
      turn?.abort()
      // What waits for a person goes on waiting.
      if (!isGoing || isWaiting() || !stored()) return
      project.runtime.stop(id)
      await project.runtime.whenIdle(id)
    },
    replay: () => after(() => historyOf(scene)),
    async greeting() {
      const { trusted, wouldLoad, path } = project.info()
      const untrusted = `Not loaded, because ${path} is not trusted: ${wouldLoad.join(', ')}. /trust trusts it.`
      return [
        { sessionUpdate: 'available_commands_update', availableCommands: await availableCommands(scene) },
        ...(trusted || wouldLoad.length === 0 ? [] : [remark(untrusted)]),
      ]
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}

const busy = 'This session is still working on a message. Wait for its end, or cancel it first.'

/** Sends updates of a session one after the other, however long each takes to make. */
function createTeller(editor: AgentContext, sessionId: string) {
  let told: Promise<void> = Promise.resolve()
  return (work: () => Promise<readonly SessionUpdate[]>): Promise<void> => {
    told = told
      .then(async () => {
        for (const update of await work()) await editor.notify(methods.client.session.update, { sessionId, update })
      })
      // An editor that went away is told nothing any more.
      .catch(() => undefined)
    return told
  }
}

function choicesOf(thread: ThreadState | undefined): Choices | null {
  return thread ? { mode: thread.approvalMode, model: thread.model, effort: thread.effort ?? null } : null
}

/** The choices of new threads, with the model by its full name where it can be found. */
function usualChoices({ settings, provider }: Host): Choices {
  const { model, approvalMode: mode } = settings.read()
  const resolved = provider.resolveModel(model)
  return { mode, model: resolved.ok ? resolved.value : model, effort: null }
}
