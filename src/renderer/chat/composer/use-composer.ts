import { useCallback, useEffect, useRef, useState } from 'react'
import type { JsonObject } from '#shared/base/json.ts'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import type { AttemptsWish } from '#shared/model/calls/attempts.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import type { ApprovalMode, ThreadState } from '#shared/model/thread.ts'
import type { Refusal } from '../../state/connection/refusal.ts'
import { useApp, useClient, useCommand, useProjectId, useSession } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { draftKey, followDraft, readDraft, writeDraft } from '../../state/preferences/draft.ts'
import { readModelChoices, rememberEffort } from '../../state/preferences/model-choices.ts'
import { isBetweenSteps, isRunning } from '../../state/store/selectors.ts'
import { showThread } from '../../state/store/ui-state.ts'
import { chatStrings } from '../../strings/chat.ts'
import { type Attachments, useAttachments } from './attach/use-attachments.ts'
import { type ComposerCommand, commandIn, showCommand } from './completion/completion.ts'
import type { OwnModes } from './mode-menu.tsx'
import { chosenEffort, type EffortChoice, offeredBy } from './model/effort-choice.ts'

interface ComposerState {
  readonly text: string
  readonly attachments: Attachments
  /** True if there is nothing to send. */
  readonly empty: boolean
  readonly running: boolean
  readonly busy: boolean
  readonly refusal: Refusal | null
  /** Null until it is known. */
  readonly mode: ApprovalMode | null
  /** The modes of an external agent itself; null for a model, and before they are known. */
  readonly ownModes: OwnModes | null
  readonly model: string
  /** What is known of the model; undefined for one that no profile lists. */
  readonly facts: ModelChoice | undefined
  readonly effort: EffortChoice
  /** The JSON Schema of the answers; null for answers in words. */
  readonly answerSchema: JsonObject | null
  setText(text: string): void
  /** Shows a text in the box. The saved draft stays. */
  showText(text: string): void
  /** Runs a command that was typed in place of a message or before it. `rest` stays in the box. */
  command(command: ComposerCommand, rest: string): Promise<void>
  send(delivery: 'queue' | 'steer'): Promise<void>
  /** Lets several agents try the message at once. Resolves with true when it was sent. */
  tryWays(wish: AttemptsWish): Promise<boolean>
  /** Sends and pauses after every step. Without a text, runs the next step of a run that paused after one. */
  step(): Promise<void>
  stop(): Promise<void>
  chooseMode(mode: ApprovalMode): void
  chooseModel(model: string): void
  chooseEffort(choice: Partial<EffortChoice>): void
  chooseAnswerSchema(schema: JsonObject | null): void
}

/** The text, attachments, mode, model and effort of the next message. A refused message stays in the box. */
export function useComposer(thread: ThreadState | null): ComposerState {
  const session = useSession()
  const client = useClient()
  const projectId = useProjectId()
  const key = draftKey(projectId, thread?.id ?? null)
  const suggestion = useDemoTask(thread)
  const [text, setStateText] = useState(() => readDraft(localStorage, key) || suggestion)
  // What is in the box now, for commands that wait for an answer while the person types on.
  const typed = useRef(text)
  const attachments = useAttachments(key)
  const choice = useChoice(thread)
  const sending = useCommand()
  const running = thread !== null && isRunning(thread)
  const attached = attachments.files.length + attachments.images.length + attachments.reading.length
  const empty = text.trim() === '' && attached === 0

  const showText = useCallback((next: string) => {
    typed.current = next
    setStateText(next)
  }, [])
  useEffect(() => followDraft(window, key, showText), [key, showText])

  function setText(next: string): void {
    showText(next)
    writeDraft(localStorage, key, next)
  }

  async function step(): Promise<void> {
    if (!empty) return send('queue', true)
    if (!thread || !isBetweenSteps(thread)) return
    await sending.run(() => client.threads.continue({ projectId, threadId: thread.id, step: true }))
  }

  async function send(delivery: 'queue' | 'steer', step = false): Promise<void> {
    if (empty || sending.busy) return
    const named = commandIn(text)
    if (named) return command(named, '')
    await sendText({ delivery, step })
  }

  async function sendText(how: {
    readonly delivery: 'queue' | 'steer'
    readonly step: boolean
    readonly attempts?: AttemptsWish
  }): Promise<boolean> {
    return sending.run(async () => {
      const attached = await attachments.settle()
      if (!attached) return
      const inputs = attached.files.map(({ name, data }) => ({ name, data }))
      const threadId = thread?.id ?? null
      const { model, mode: approvalMode, answerSchema: outputSchema, agentMode } = choice
      const asked = { model: model || undefined, approvalMode: approvalMode ?? undefined, outputSchema, agentMode }
      const options = threadId ? {} : { ...asked, ...sentEffort(choice) }
      const images = attached.images.map(({ mediaType, data }) => ({ type: 'image' as const, mediaType, data }))
      const message = { projectId, threadId, text, images, inputs, ...how }
      const sent = await client.threads.send({ ...message, ...options })
      const rest = textAfterSent(typed.current, text)
      setText(thread ? rest : '')
      if (!thread) writeDraft(localStorage, draftKey(projectId, sent.threadId), rest)
      attachments.clear(attached)
      // The person may have gone to another tab meanwhile, or writes beside it.
      if (!thread) session.updateUi((ui) => ({ ...showThread(ui, sent.threadId), tab: ui.tab }))
    })
  }

  function chooseOwnMode(agentMode: string | null): void {
    if (thread) void sending.run(() => client.threads.configure({ projectId, threadId: thread.id, agentMode }))
    else choice.setAgentMode(agentMode)
  }

  async function command(name: ComposerCommand, rest: string): Promise<void> {
    setText(rest)
    if (name !== 'compact') return session.updateUi((ui) => showCommand(name, ui))
    if (thread) await sending.run(() => client.threads.compact({ projectId, threadId: thread.id }))
  }

  return {
    text,
    attachments,
    empty,
    running,
    busy: sending.busy,
    refusal: sending.refusal,
    mode: choice.mode,
    ownModes: ownModesOf(choice, chooseOwnMode),
    model: choice.model,
    facts: choice.facts,
    effort: choice.effort,
    answerSchema: choice.answerSchema,
    setText,
    showText,
    command,
    send,
    tryWays: async (attempts) =>
      !empty && !sending.busy && (await sendText({ delivery: 'queue', step: false, attempts })),
    step,
    stop: async () => {
      if (thread) await sending.run(() => client.threads.stop({ projectId, threadId: thread.id }))
    },
    chooseMode: (approvalMode) =>
      thread
        ? void sending.run(() => client.threads.configure({ projectId, threadId: thread.id, approvalMode }))
        : choice.setMode(approvalMode),
    chooseModel: (model) =>
      thread
        ? void sending.run(() => client.threads.configure({ projectId, threadId: thread.id, model }))
        : choice.setModel(model),
    chooseEffort: (effort) => {
      rememberEffort(localStorage, effort)
      if (thread) void sending.run(() => client.threads.configure({ projectId, threadId: thread.id, ...effort }))
      else choice.setEffort({ ...choice.effort, ...effort })
    },
    chooseAnswerSchema: (outputSchema) =>
      thread
        ? void sending.run(() => client.threads.configure({ projectId, threadId: thread.id, outputSchema }))
        : choice.setAnswerSchema(outputSchema),
  }
}

/** What stays in the box after a message was sent: what the person typed behind it meanwhile. */
function textAfterSent(now: string, sent: string): string {
  return now.startsWith(sent) ? now.slice(sent.length).trimStart() : now
}

/** The task of the demo. The demo's script fits only this task, so the box holds it when the demo opens. */
function useDemoTask(thread: ThreadState | null): string {
  const offered = useApp((state) => state.projectInfo?.kind === 'demo' && state.project.threads.size === 0)
  return offered && thread === null ? chatStrings.demoTask : ''
}

interface Choice {
  /** Null until the settings have arrived. A thread that begins before takes the mode of the settings. */
  readonly mode: ApprovalMode | null
  readonly model: string
  readonly facts: ModelChoice | undefined
  readonly effort: EffortChoice
  readonly answerSchema: JsonObject | null
  /** The mode of an external agent itself that was chosen; null for none. */
  readonly agentMode: string | null
  setAgentMode(id: string | null): void
  setMode(mode: ApprovalMode): void
  setModel(model: string): void
  setEffort(choice: EffortChoice): void
  setAnswerSchema(schema: JsonObject | null): void
}

/** What a new thread gets of the choice that was made last: what its model offers. */
function sentEffort({ effort, facts }: Choice): Partial<EffortChoice> {
  const offered = offeredBy(facts)
  return offered ? chosenEffort(effort, offered) : {}
}

function ownModesOf(
  { model, facts, agentMode: chosen }: Choice,
  onChoose: (id: string | null) => void,
): OwnModes | null {
  const agent = agentIn(model)
  const modes = facts?.modes ?? []
  return agent === null || (modes.length === 0 && chosen === null) ? null : { agent, modes, chosen, onChoose }
}

/** The mode, model, effort and schema of the thread, or of the next new thread. */
function useChoice(thread: ThreadState | null): Choice {
  const provider = useApp((state) => state.info?.provider)
  const demo = useApp((state) => state.projectInfo?.kind === 'demo')
  const [defaults] = useQuery('settings.get', undefined)
  const { updateUi } = useSession()
  const mode = useApp((state) => state.ui.newMode)
  const [model, setModel] = useState<string | null>(null)
  const [effort, setEffort] = useState<EffortChoice>(() => readModelChoices(localStorage))
  const [answerSchema, setAnswerSchema] = useState<JsonObject | null>(null)
  const [agentMode, setAgentMode] = useState<string | null>(null)
  const used = thread?.model ?? model ?? (demo ? 'demo' : provider?.model) ?? ''
  return {
    mode: thread?.approvalMode ?? mode ?? defaults.value?.approvalMode ?? null,
    model: used,
    facts: provider?.models.find(({ id }) => id === used),
    effort: thread ? { effort: thread.effort ?? null, thinking: thread.thinking ?? null } : effort,
    setMode: (newMode) => updateUi((ui) => ({ ...ui, newMode })),
    answerSchema: thread ? thread.answerSchema : answerSchema,
    agentMode: thread ? (thread.agentMode ?? null) : agentMode,
    setAgentMode,
    // Another agent has other modes.
    setModel: (next) => {
      setModel(next)
      if (agentIn(next) !== agentIn(used)) setAgentMode(null)
    },
    setEffort,
    setAnswerSchema,
  }
}
