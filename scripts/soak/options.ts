import { parseArgs } from 'node:util'

/** What the command line asks for. */
export interface Options {
  /** Milliseconds for this call. Infinity when no time is given: until every part is done. */
  readonly timeMs: number
  /** Names of the parts to run. Null for all. */
  readonly only: readonly string[] | null
  /** Null when the state file, or else chance, says it. */
  readonly seed: number | null
  readonly stateFile: string
  /** Where the report goes as Markdown. Null when it is only printed. */
  readonly reportFile: string | null
}

export type Asked = { readonly kind: 'help' } | ({ readonly kind: 'list' | 'run' } & Options)

export const help = `Usage: npm run soak -- [options]

Runs the tests at full size, in parts. Each part works in chunks with seeds of their own. The state file keeps what is
done, so a second call goes on where the first one stopped. Ctrl-C stops after the running chunk.

  --hours N, --minutes N   the time of this call; without it the call ends when every part is done
  --only PART,…            only these parts
  --seed N                 the seed of the first chunk; every further chunk adds one
  --state FILE             keeps what is done (default: test-results/soak-state.json)
  --report FILE            also writes the report as Markdown
  --list                   shows the parts, and what is done of each
  --help                   shows this text

The exit code is 1 if a chunk of this call failed. The report says how to run a failed chunk again.
`

/** Thrown for a command line that asks for something impossible. The message says what to do. */
export class UsageError extends Error {}

const flags = {
  hours: { type: 'string' },
  minutes: { type: 'string' },
  only: { type: 'string' },
  seed: { type: 'string' },
  state: { type: 'string', default: 'test-results/soak-state.json' },
  report: { type: 'string' },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Reads a command line. Throws `UsageError`. */
export function readOptions(args: readonly string[], partNames: readonly string[]): Asked {
  const values = parse(args)
  if (values.help) return { kind: 'help' }
  const hours = positive('hours', values.hours) ?? 0
  const minutes = positive('minutes', values.minutes) ?? 0
  const timeMs = (hours * 60 + minutes) * 60_000
  const only = values.only?.split(',').filter((name) => name !== '') ?? null
  const unknown = only?.find((name) => !partNames.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`There is no part "${unknown}". The parts are ${partNames.join(', ')}.`)
  const options = {
    timeMs: timeMs === 0 ? Number.POSITIVE_INFINITY : timeMs,
    only,
    seed: wholeNumber('seed', values.seed),
    stateFile: values.state,
    reportFile: values.report ?? null,
  }
  return { kind: values.list ? 'list' : 'run', ...options }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true }).values
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nTry npm run soak -- --help.`)
  }
}

function positive(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const number = Number(text)
  if (!Number.isFinite(number) || number <= 0) throw new UsageError(`--${name} takes a number above 0, not "${text}".`)
  return number
}

function wholeNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0 || number > 2 ** 31 - 1)
    throw new UsageError(`--${name} takes a whole number from 0 to ${2 ** 31 - 1}, not "${text}".`)
  return number
}
