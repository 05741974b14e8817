import { tailOf } from '#shared/text/whole-characters.ts'
import type { AgentConnection } from '../../ports/programs/external-agent.ts'
import { type RunningCommand, type Talk, talkVariable } from '../../ports/shell.ts'
import type { Trial } from '../../trial/open-trial.ts'
import type { ExternalProgram } from '../types/agent-definition.ts'
import type { ProjectServices } from '../types/services.ts'

/** The program of an external agent, which runs in a view and has said hello. */
export interface StartedAgent {
  readonly connection: AgentConnection
  readonly running: RunningCommand
  /** Absolute path of the project, as the agent sees it. */
  readonly folder: string
  /** The command line by which it and what it starts may talk with the app. Null where there is no way for it. */
  readonly talk: string | null
  /** Resolves when it has ended, with all that it started. Never rejects. */
  readonly ended: Promise<unknown>
  /** Asks it to end, and ends it for sure after a grace. */
  stop(): Promise<void>
}

/** Milliseconds that it has to end when it is asked to. */
const graceMs = 2_000
/** Characters of its output that are told when it ends: the last ones. */
const complaintsKept = 2_000

/** Throws `ExternalAgentError`, `ShellError`, and the abort reason. Nothing runs any more then. */
export async function startAgent(
  { shell, clock, externalAgents }: Pick<ProjectServices, 'shell' | 'clock' | 'externalAgents'>,
  program: ExternalProgram,
  view: Trial['view'],
  signal: AbortSignal,
  onTalk?: (talk: Talk) => void,
): Promise<StartedAgent> {
  const running = Promise.withResolvers<RunningCommand>()
  const killed = new AbortController()
  const streams = createStreams()
  let complaints = ''
  const outcome = shell.execute(
    {
      // The first lines say where the agent finds the project, and how it talks with the app.
      command: `pwd; echo "$${talkVariable}"; ${program.command}`,
      mount: view,
      hosts: program.hosts,
      grants: program.grants,
      ...(onTalk && { onTalk }),
      timeoutMs: Number.POSITIVE_INFINITY,
      onStart: running.resolve,
      onBytes: streams.put,
      onOutput(text) {
        complaints = tailOf(`${complaints}${text}`, complaintsKept)
      },
    },
    killed.signal,
  )
  const ended = outcome.then(
    ({ exitCode, signal: by, reached }) =>
      reached ?? (exitCode === null ? `It was ended by ${by ?? 'a signal'}.` : `Its exit code is ${exitCode}.`),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const stop = async () => {
    const process = await Promise.race([running.promise, ended.then(() => null)])
    process?.askToEnd()
    const over = new AbortController()
    void clock.sleep(graceMs, over.signal).then(
      () => killed.abort(),
      () => undefined,
    )
    await ended
    over.abort()
  }
  try {
    const process = await Promise.race([running.promise, outcome.then(() => running.promise)])
    const told = ended.then((why) => [why, complaints].join(' ').trim())
    const connection = await externalAgents.connect(
      { command: program.command, listen: streams.listen, write: process.write, ended: told },
      signal,
    )
    const [folder = '', talk = ''] = await streams.head
    return { connection, running: process, folder, talk: talk === '' ? null : talk, ended, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Lines that come before the protocol. */
const headLines = 2

/** The output of a program whose first lines are the head, and the rest the protocol. */
function createStreams() {
  const head = Promise.withResolvers<readonly string[]>()
  let before: Uint8Array | null = new Uint8Array()
  let listener: ((bytes: Uint8Array) => void) | null = null
  let waiting: Uint8Array[] = []
  const pass = (bytes: Uint8Array) => {
    if (listener) listener(bytes)
    else waiting.push(bytes)
  }
  return {
    head: head.promise,
    put(bytes: Uint8Array): void {
      if (before === null) {
        pass(bytes)
        return
      }
      const all: Uint8Array = new Uint8Array([...before, ...bytes])
      const end = endOfLine(all, headLines)
      if (end < 0) {
        before = all
        return
      }
      before = null
      head.resolve(new TextDecoder().decode(all.subarray(0, end)).split('\n'))
      if (end + 1 < all.length) pass(all.subarray(end + 1))
    },
    listen(next: (bytes: Uint8Array) => void): void {
      listener = next
      for (const bytes of waiting) next(bytes)
      waiting = []
    },
  }
}

/** Where the line of this number ends. -1 while it does not. */
function endOfLine(bytes: Uint8Array, number: number): number {
  let at = -1
  for (let line = 0; line < number; line += 1) {
    at = bytes.indexOf(0x0a, at + 1)
    if (at < 0) return -1
  }
  return at
}
