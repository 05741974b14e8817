import { WriteStream } from 'node:tty'

/** What lines are written to, as far as it matters how they look. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** What a stream can show. */
export interface Screen {
  /** Somebody sees it, and lines may be drawn again in place. */
  readonly isLive: boolean
  /** Bits of colour: 1 for none, 4 for 16 colours, 8 for 256, 24 for all. */
  readonly colourDepth: number
  /** Whether marks outside ASCII can be shown. */
  readonly hasMarks: boolean
  /** Columns of the terminal now. Without one, lines are never broken: infinity. */
  readonly columns: () => number
  /** Rows of the terminal now. */
  readonly rows: () => number
}

/** Terminals that say nothing of their size. */
const usual = { columns: 80, rows: 24 } as const

/** Judges a stream by the environment: `NO_COLOR`, `FORCE_COLOR`, `TERM` and the language. */
export function readScreen(output: Output, environment: NodeJS.ProcessEnv): Screen {
  const isTerminal = output.isTTY === true
  const isDumb = environment.TERM === 'dumb'
  return {
    isLive: isTerminal && !isDumb,
    colourDepth: depthOf(isTerminal, environment),
    hasMarks: !isDumb && !isPlainLanguage(environment),
    columns: () => (isTerminal ? output.columns || usual.columns : Number.POSITIVE_INFINITY),
    rows: () => output.rows || usual.rows,
  }
}

function depthOf(isTerminal: boolean, environment: NodeJS.ProcessEnv): number {
  const forced = environment.FORCE_COLOR
  if (!isTerminal && (forced === undefined || forced === '' || forced === '0')) return 1
  // FORCE_COLOR wins over NO_COLOR, as in Node and its tools.
  if (environment.NO_COLOR && forced === undefined) return 1
  return WriteStream.prototype.getColorDepth.call({}, environment)
}

/** True where the language of the system says that only ASCII can be shown. */
function isPlainLanguage({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  const language = LC_ALL || LC_CTYPE || LANG || ''
  return language === 'C' || language === 'POSIX'
}
