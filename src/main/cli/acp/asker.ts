import type { AgentContext } from '@agentclientprotocol/sdk'
import { methods } from '@agentclientprotocol/sdk'
import type { DirectClient } from '#host/wiring/direct-client.ts'
import { isAsking } from '#shared/model/calls/call.ts'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import { cardKind } from '#shared/tools/card.ts'
import { questionAbout } from './permission.ts'
import type { Scene } from './updates/scene.ts'

/** Asks the person at the editor about calls that wait, while a request of theirs goes on. */
export interface EditorAsker extends Disposable {
  /** Resolves when nothing is left to ask. True when something was decided since the last time. */
  settled(): Promise<boolean>
  /** Takes every open question away. */
  stop(): void
}

/** `told` resolves when the editor knows everything that came before the question. */
export function createEditorAsker(
  scene: Scene,
  client: DirectClient,
  editor: AgentContext,
  told: () => Promise<void>,
): EditorAsker {
  const { project, root } = scene
  const stopping = new AbortController()
  const open = new Set<Promise<void>>()
  const asked = new Map<string, AbortController>()
  let hasDecided = false

  const isWaiting = (interrupt: Interrupt, { callId }: ActionRequest): boolean =>
    project
      .family(interrupt.threadId)
      .some((one) => isAsking(one.calls.get(callId)) && one.interrupts.some(({ id }) => id === interrupt.id))

  async function ask(interrupt: Interrupt, request: ActionRequest, decidedElsewhere: AbortSignal): Promise<void> {
    await told()
    if (stopping.signal.aborted || !isWaiting(interrupt, request)) return
    const { request: question, answerOf } = await questionAbout(scene, client, interrupt, request)
    const cancellationSignal = AbortSignal.any([stopping.signal, decidedElsewhere])
    // A question without answers to choose from is answered by the next message.
    if (question.options.every(({ optionId }) => optionId === 'later')) return
    const { outcome } = await editor.request(methods.client.session.requestPermission, question, {
      cancellationSignal,
      stopWaitingOnCancel: true,
    })
    // An editor that cancels says so first, and the message may still be on its way through the library.
    if (outcome.outcome === 'cancelled') await new Promise((resolve) => void setImmediate(resolve))
    // A person who closes the question decides later, here or in the window.
    const answer = outcome.outcome === 'selected' ? answerOf(outcome.optionId) : undefined
    if (!answer?.decision || !isWaiting(interrupt, request)) return
    if (answer.rules) await client.settings.changeRules({ effect: 'allow', add: [...answer.rules] })
    const { id: interruptId, threadId } = interrupt
    await client.approvals.decide({ projectId: project.info().id, threadId, interruptId, decisions: [answer.decision] })
    hasDecided = true
  }
  const take = (interrupt: Interrupt): void => {
    for (const request of interrupt.action_requests) {
      const key = `${interrupt.id} ${request.callId}`
      if (asked.has(key) || !isWaiting(interrupt, request)) continue
      const elsewhere = new AbortController()
      asked.set(key, elsewhere)
      // What is not answered waits: for the window, for a terminal, or for the next message.
      const asking = ask(interrupt, request, elsewhere.signal).catch(() => undefined)
      open.add(asking)
      void asking.finally(() => open.delete(asking))
    }
  }
  const listening = project.events.listen((event) => {
    if (event.type === 'interrupt.decided') {
      asked.get(`${event.interruptId} ${event.decision.callId}`)?.abort()
      hasDecided = true
    }
    // Wait a tick, so that the loop that raised it has stored it and sleeps.
    if (event.type === 'interrupt.raised' && project.services.log.rootOf(event.threadId) === root)
      queueMicrotask(() => take(event.interrupt))
  })
  for (const { interrupts } of project.family(root)) interrupts.forEach(take)
  return {
    async settled() {
      while (open.size > 0) await Promise.all(open)
      const decided = hasDecided
      hasDecided = false
      return decided
    },
    stop: () => stopping.abort(),
    [Symbol.dispose]() {
      stopping.abort()
      listening[Symbol.dispose]()
    },
  }
}

/** What the next message of a person answers. */
const answeredInChat: ReadonlySet<ReturnType<typeof cardKind>> = new Set(['question', 'plan'])

/** The question or the plan of an agent that a person left for the chat; null for none. The first one. */
export function openQuestion({ project, root }: Scene): { interrupt: Interrupt; request: ActionRequest } | null {
  for (const { calls, interrupts } of project.family(root))
    for (const interrupt of interrupts)
      for (const request of interrupt.action_requests)
        if (answeredInChat.has(cardKind(interrupt, request)) && isAsking(calls.get(request.callId)))
          return { interrupt, request }
  return null
}
