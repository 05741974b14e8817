import { setTimeout as delay } from 'node:timers/promises'
import type { Project } from '#host/project/project.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import { isAsking } from '#shared/model/calls/call.ts'
import type { ActionRequest, Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { LivePrinter } from '../follow/live-printer.ts'
import { createKeyboard, type Keyboard } from '../screen/keyboard.ts'
import { terminal } from '../screen/terminal.ts'
import { askPerson } from './ask-person.ts'
import { decidedLine } from './card-keys.ts'
import { type Dialogue, say } from './dialogue.ts'

/** Asks a person at the terminal about calls that wait, one after the other. */
export interface Asker extends Disposable {
  /** Resolves when nothing is left to ask. True when the person decided something since the last time. */
  settled(): Promise<boolean>
  /** Takes an open question away. Nothing is asked any more. */
  stop(): void
}

/**
 * Whether a person can be asked here: the dialogue is on standard error, so that the answer on standard output may go to a
 * file. A terminal that cannot draw rows again asks nobody.
 */
export function canAsk(): boolean {
  const { input, errors, environment } = terminal()
  return Boolean(input.isTTY && errors.isTTY) && environment.TERM !== 'dumb' && !input.readableEnded
}

export function createAsker(host: Host, project: Project, printer: LivePrinter, threadId: ThreadId): Asker {
  const { log } = project.services
  const client = createDirectClient(host)
  const stopping = new AbortController()
  const root = log.rootOf(threadId) ?? threadId
  const place = terminal()
  const keyboard = createKeyboard(place, {
    onSuspend: () => undefined,
    onContinue: printer.refresh,
  })
  let chain: Promise<void> = Promise.resolve()
  let hasDecided = false
  const asked = new Set<string>()

  const isWaiting = (interrupt: Interrupt, { callId }: ActionRequest): boolean =>
    project
      .family(interrupt.threadId)
      .some((one) => isAsking(one.calls.get(callId)) && one.interrupts.some(({ id }) => id === interrupt.id))

  async function askAbout(interrupt: Interrupt, request: ActionRequest, position: string): Promise<void> {
    if (stopping.signal.aborted || !isWaiting(interrupt, request)) return
    await printer.ask(async (region) => {
      const dialogue = dialogueOf(keyboard, region)
      const decision = await askPerson(dialogue, interrupt, request, position, (made) =>
        settle(interrupt, request, made),
      )
      say(dialogue, [decidedLine(request, decision)])
    })
  }
  /** Null when the decision counts, else why it does not. Rejects when the call no longer waits. */
  async function settle(interrupt: Interrupt, request: ActionRequest, decision: Decision): Promise<string | null> {
    const { id: interruptId, threadId: asking } = interrupt
    const command = { projectId: project.info().id, threadId: asking, interruptId, decisions: [decision] }
    try {
      await client.approvals.decide(command)
      hasDecided = true
      return null
    } catch (error) {
      if (stopping.signal.aborted || !isWaiting(interrupt, request)) throw error
      return error instanceof Error ? error.message : String(error)
    }
  }
  const dialogueOf = (keys: Keyboard, region: Dialogue['region']): Dialogue => ({
    region,
    keyboard: keys,
    client,
    projectId: project.info().id,
    columns: () => place.errors.columns || 80,
    rows: () => place.errors.rows || 24,
    environment: place.environment,
    wait: (milliseconds) => delay(milliseconds, undefined, { signal: stopping.signal }),
    signal: stopping.signal,
  })
  const take = (interrupt: Interrupt): void => {
    if (asked.has(interrupt.id)) return
    asked.add(interrupt.id)
    const { action_requests: requests } = interrupt
    requests.forEach((request, index) => {
      const position = requests.length === 1 ? '' : ` (${index + 1} of ${requests.length})`
      chain = chain
        .then(() => askAbout(interrupt, request, position))
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) printer.warn(error instanceof Error ? error.message : String(error))
        })
    })
  }
  const listening = project.events.listen((event) => {
    // Wait a tick, so that the loop that raised it has stored it and sleeps.
    if (event.type === 'interrupt.raised' && log.rootOf(event.threadId) === root)
      queueMicrotask(() => take(event.interrupt))
  })
  for (const { interrupts } of project.family(root)) interrupts.forEach(take)
  return {
    async settled() {
      await chain
      const decided = hasDecided
      hasDecided = false
      return decided
    },
    stop: () => stopping.abort(),
    [Symbol.dispose]() {
      stopping.abort()
      listening[Symbol.dispose]()
      keyboard[Symbol.dispose]()
    },
  }
}
