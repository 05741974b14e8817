import { type MountView, placeVariable } from './branch-mounts.ts'
import type { Machine } from './machine.testkit.ts'
import { programs as machinePrograms, type Program } from './machine-programs.testkit.ts'
import { runScript } from './machine-shell.testkit.ts'
import type { CommandShell, RunningCommand, SandboxState } from './shell.ts'

export interface MemoryShellOptions {
  readonly machine: Machine
  readonly sandbox?: SandboxState
  /** Programs that only this test has, such as a build with a given output and given files. */
  readonly programs?: Readonly<Record<string, Program>>
}

/** A program that throws it took too much memory. */
export class MemoryLimitReached extends Error {}
class TimeLimit extends Error {}
/** The command was asked to end. */
class AskedToEnd extends Error {}

/**
 * Runs bash scripts over mounts on the same machine in memory, and changes their files. Time is the script's own:
 * `sleep` returns at once and counts toward the limit, and `sleep infinity` waits until the call is stopped. There are
 * no processes, no network and no limits of output or disk, and nothing is ever denied.
 */
export function createMemoryShell({ machine, sandbox, programs = {} }: MemoryShellOptions): CommandShell {
  return {
    async execute({ command, input = '', timeoutMs, mount, declares = false, onOutput, onStart }, signal) {
      signal.throwIfAborted()
      for (const folder of [mount.home, mount.temporary]) machine.put(folder, { kind: 'directory' })
      let output = ''
      let durationMs = 0
      const declared: string[] = []
      const stay = onStart && createStay(machine, mount.folder)
      const own = {
        ...programs,
        ...(declares && { spawn_subagent: declaring(declared) }),
        ...(stay && { cat: stay.cat }),
      }
      const outcome = { signal: null, omittedBytes: 0, denied: [], declared }
      if (stay) onStart(stay.running)
      try {
        const exitCode = await runScript(command, {
          machine,
          folder: mount.folder,
          variables: { ...placeVariables(mount), HOME: mount.home, TMPDIR: mount.temporary, TERM: 'dumb' },
          own,
          input,
          signal,
          onOutput(text) {
            if (text === '') return
            output += text
            onOutput(text)
          },
          async sleep(milliseconds) {
            if (milliseconds === Number.POSITIVE_INFINITY)
              await Promise.race([abortOf(signal), ...(stay ? [stay.asked] : [])])
            durationMs += milliseconds
            if (durationMs >= timeoutMs) throw new TimeLimit()
          },
        })
        return { ...outcome, exitCode, output, endedBy: 'itself', durationMs }
      } catch (error) {
        if (error instanceof AskedToEnd)
          return { ...outcome, exitCode: null, signal: 'SIGTERM', output, endedBy: 'itself', durationMs }
        if (error instanceof MemoryLimitReached)
          return {
            ...{ ...outcome, exitCode: null, signal: 'SIGKILL', output, endedBy: 'memory', durationMs },
            reached: 'It used too much',
          }
        if (!(error instanceof TimeLimit)) throw error
        return { ...outcome, exitCode: null, signal: 'SIGKILL', output, endedBy: 'time', durationMs: timeoutMs }
      }
    },
    sandbox: () => sandbox ?? { state: 'on', reason: 'Commands run on a machine in memory.' },
    openNetwork: async () => null,
  }
}

/** A command that stays. Without arguments, its `cat` repeats what is written to it until it is asked to end. */
function createStay(machine: Machine, folder: string) {
  const written: string[] = []
  let wake = () => {}
  let end = () => {}
  const asked = new Promise<never>((_, reject) => {
    end = () => reject(new AskedToEnd())
  })
  asked.catch(() => undefined)
  const running: RunningCommand = {
    write(text) {
      written.push(text)
      wake()
    },
    askToEnd: () => end(),
    findPorts: async () => [],
    refusedHosts: () => [],
    show(changes) {
      for (const change of changes) {
        const place = `${folder}${change.path}`
        if (change.kind === 'absent') machine.remove(place)
        else machine.put(place, change)
      }
    },
  }
  const cat: Program = async (words, context) => {
    const { print, signal } = context
    if (words.length > 0) return machinePrograms.cat?.(words, context) ?? 0
    while (true) {
      for (const text of written.splice(0)) print(text)
      const next = new Promise<void>((resolve) => {
        wake = resolve
      })
      await Promise.race([next, asked, abortOf(signal)])
    }
  }
  return { running, cat, asked }
}

function placeVariables({ places }: MountView): Readonly<Record<string, string>> {
  return Object.fromEntries(places.map(({ name, folder }) => [placeVariable(name), folder]))
}

/** Declares tasks like the real function: as JSON with the description first, and without output. */
function declaring(declared: string[]): Program {
  return (words, { complain }) => {
    const given: Record<string, string> = {}
    const left = [...words]
    while (left[0]?.startsWith('--')) {
      const name = left.shift()?.slice(2) ?? ''
      given[name] = left.shift() ?? ''
    }
    const [description] = left
    if (left.length !== 1 || !description) {
      complain('usage: spawn_subagent [--type TYPE] [--id ID] "instruction"\n')
      return 2
    }
    const { type, id } = given
    declared.push(JSON.stringify({ description, type, id }))
    return 0
  }
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
