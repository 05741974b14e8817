import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import type { Scenario } from '../../e2e/model-server/scenario.ts'
import { environment, eventsIn, type RunResult, root } from '../../e2e/support/coppice.ts'
import { runLine } from '../../src/main/cli/run-line.ts'
import { atTerminal, ownTerminal, type TerminalOutput } from '../../src/main/cli/screen/terminal.ts'

/** A command line that runs: what it has printed, and the key that stops it. */
export interface Running {
  readonly stdout: () => string
  /** Does what Ctrl+C does. */
  readonly stop: () => void
}

/**
 * Runs a command line to its end in this process, with everything real except the terminal. Takes and returns what
 * `coppice` of `e2e/support` does; a process, its signals, its working folder and the built files are tested there.
 * `during` is called with each piece of standard output.
 */
export async function coppice(
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
  options: {
    readonly input?: string
    readonly during?: (running: Running) => void
    /** Called once, when the command line begins. */
    readonly begun?: (running: Running) => void
  } = {},
): Promise<RunResult> {
  const listeners = new Set<() => void>()
  const stop = (): void => {
    for (const listener of [...listeners]) listener()
  }
  let stdout = ''
  let stderr = ''
  const output = writing((text) => {
    stdout += text
    options.during?.({ stdout: () => stdout, stop })
  })
  const errors = writing((text) => {
    stderr += text
  })
  const place = {
    ...ownTerminal(),
    input: Readable.from(options.input === undefined ? [] : [options.input]),
    readAll: async () => options.input ?? '',
    output,
    errors,
    environment: environment(extra),
    onStop(listener: () => void) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    stop,
    leave: (code: number): never => {
      throw new Error(`The command line left with ${code}.`)
    },
  }
  options.begun?.({ stdout: () => stdout, stop })
  const code = await atTerminal(place, () => runLine(args))
  return { code, stdout, stderr, events: args.includes('--json') ? eventsIn(stdout) : [] }
}

function writing(take: (text: string) => void): TerminalOutput {
  return new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _encoding, taken) {
      take(String(text))
      taken()
    },
  })
}

/** The project of the end-to-end tests, which no test here changes. */
export const fixture = join(root, 'e2e/fixtures/ledger')

/** A new empty folder. */
export function folder(): string {
  return mkdtempSync(join(tmpdir(), 'coppice-line-'))
}

/** The variables that lead to a model server. */
export function keyFor(url: string): Readonly<Record<string, string>> {
  return { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url }
}

/** Runs one task in the fixture against a scenario, with quick retries. Returns the result, its data folder and the requests. */
export async function runTask(scenario: Scenario, ...args: readonly string[]) {
  await using server = await startModelServer(scenario)
  const data = folder()
  const settings = join(data, 'quick.json')
  writeFileSync(settings, JSON.stringify({ retry: { attempts: 3, base_delay_ms: 10, max_delay_ms: 50 } }))
  const result = await coppice(
    ['run', fixture, '--task', 'do it', '--json', '--data-dir', data, '--settings', settings, ...args],
    keyFor(server.url),
  )
  return { ...result, last: result.events.at(-1), requests: server.requests, data }
}
