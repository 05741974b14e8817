import { Readable, Writable } from 'node:stream'
import type { Host } from '#host/wiring/create-host.ts'
import { atTerminal, ownTerminal, type Terminal, type TerminalOutput } from './screen/terminal.ts'

/** How a command line ended that ran inside of this process. */
export interface VerbEnd {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** Runs a command line to its end, and resolves to its exit code. */
export type RunLine = NonNullable<Terminal['runLine']>

/** Runs a command line with the projects of this process and takes what it prints. */
export async function runVerb(host: Host, runLine: RunLine, args: readonly string[]): Promise<VerbEnd> {
  const printed = { output: '', errors: '' }
  const writing = (to: keyof typeof printed): TerminalOutput =>
    new Writable({
      write(bytes: Buffer, _encoding, taken) {
        printed[to] += bytes.toString()
        taken()
      },
    })
  const { promise: left, resolve: leave } = Promise.withResolvers<number>()
  const place: Terminal = {
    ...ownTerminal(),
    ...{ host, leave, output: writing('output'), errors: writing('errors') },
    input: Readable.from([]),
    readAll: async () => '',
    environment: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, PAGER: undefined },
    onStop: () => ({ [Symbol.dispose]: () => undefined }),
    stop: () => leave(1),
    hangUp: () => leave(1),
    suspend: () => undefined,
    show: async () => ({ why: 'nothing can be shown in an editor' }),
  }
  const code = await Promise.race([atTerminal(place, () => runLine(args)), left])
  return { code, ...printed }
}
