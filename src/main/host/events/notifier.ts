import { tellAddress, tellProgram } from '#adapters/programs/tell.ts'
import { redact } from '#core/secrets/secrets.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { NotifyTarget } from '#shared/contract/views/settings.ts'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import type { EntryOf } from '#shared/model/entry.ts'
import { type CoppiceEvent, isLive } from '#shared/model/event.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { questionsIn } from '#shared/tools/questions.ts'
import { findToolFacts, toolFacts } from '#shared/tools/tool-facts.ts'
import type { EventHub } from './event-hub.ts'

export interface NotifierOptions {
  readonly events: Pick<EventHub, 'listen'>
  /** The name of the project. */
  readonly project: string
  readonly threads: () => ReadonlyMap<ThreadId, ThreadState>
  /** From the person's own settings. Null for nobody. */
  readonly findTarget: () => NotifyTarget | null
  readonly workingFolder: string
  readonly environment: () => NodeJS.ProcessEnv
  readonly report: (problem: string, error: unknown) => void
  readonly patienceAtEndMs?: number
}

/** Messages that wait for the one before them. More are left out: whoever gets twenty looks at the window. */
const mostWaiting = 20
/** Milliseconds in which the last messages get through before a project is closed without them. */
const patienceAtEnd = 10_000

/**
 * Tells a program or an address of the person when an agent needs them and when a thread ends, one message after the other. No run
 * waits for it. A failure is reported once until a message gets through.
 */
export function createNotifier(options: NotifierOptions): AsyncDisposable {
  const { events, findTarget, report, patienceAtEndMs = patienceAtEnd } = options
  const stop = new AbortController()
  let waiting = 0
  let hasFailed = false
  let last = Promise.resolve()
  const send = async (target: NotifyTarget, message: JsonObject): Promise<void> => {
    if (stop.signal.aborted) return
    const telling = { ...options, environment: options.environment(), signal: stop.signal }
    try {
      if (target.kind === 'command') await tellProgram(target.command, message, telling)
      else await tellAddress(target.url, message, telling)
      hasFailed = false
    } catch (error) {
      if (!hasFailed && !stop.signal.aborted)
        report(
          `Nobody was told about ${JSON.stringify(message.title)}, because the setting notify does not work`,
          error,
        )
      hasFailed = true
    }
  }
  const listening = events.listen((event) => {
    const target = findTarget()
    const message = target && messageOf(event, options)
    if (!target || !message || waiting >= mostWaiting) return
    waiting += 1
    last = last
      .then(() => send(target, message))
      .finally(() => {
        waiting -= 1
      })
  })
  return {
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      // The last one may tell of the run that just ended. All that wait have this time together.
      const timer = setTimeout(() => stop.abort(), patienceAtEndMs)
      await last
      clearTimeout(timer)
    },
  }
}

/** What a card says of itself, without what stands in files, commands and results. Null for what nobody is told. */
function messageOf(event: CoppiceEvent, { project, threads }: NotifierOptions): JsonObject | null {
  if (isLive(event)) return null
  const thread = threads().get(event.threadId)
  const common = { project, thread: event.threadId, title: titleOf(thread), at: new Date(event.at).toISOString() }
  if (event.type === 'interrupt.raised') {
    const { agent } = event.interrupt
    return { event: 'needs_you', ...common, agent, text: textOf(event.interrupt) }
  }
  if (event.type !== 'run.ended' || thread?.parent) return null
  const isCut = event.status === 'interrupted'
  if (isCut && !waitsForPerson.has(event.reason)) return null
  return {
    event: isCut ? 'needs_you' : event.status,
    ...common,
    text: shown(event.message) || `It is ${event.status}.`,
  }
}

/** Ends that no question went before and that a person must look at. */
const waitsForPerson: ReadonlySet<EntryOf<'run.ended'>['reason']> = new Set(['goal', 'storage'])

function titleOf(thread: ThreadState | undefined): string {
  return shown(thread?.title ?? '')
}

function textOf({ action_requests }: Interrupt): string {
  const texts = action_requests.map(({ name, args }) =>
    name === toolFacts.ask_user.name ? (questionsIn(args)[0]?.text ?? 'It asks.') : deedOf(name, args),
  )
  const [first = 'It waits for you.', ...more] = texts
  return shown(more.length === 0 ? first : `${first} And ${more.length} more.`)
}

/** An external agent gives a call of a command that command as its title. */
function deedOf(name: string, args: JsonObject): string {
  return name === toolFacts.agent_command.name ? 'Run a command.' : findToolFacts(name).describe(args)
}

function shown(text: string): string {
  return beginningOf(redact(text), 500)
}
