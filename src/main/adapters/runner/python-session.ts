import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { MontyRepl } from '@pydantic/monty'
import { stateBytesLimit } from '#core/ports/code-runner.ts'

/** An interpreter with the variables and functions of earlier runs. */
export interface PythonSession {
  readonly repl: MontyRepl
  /** True when the given state could not be used. */
  readonly stateLost: boolean
  /** Everything that the next session needs, in base64. Null when it is too large. */
  pack(): string | null
}

/** The package does not export its `package.json`, so it is read as a file. */
function readMontyVersion(): string {
  const main = createRequire(import.meta.url).resolve('@pydantic/monty')
  const { version } = JSON.parse(readFileSync(join(dirname(main), 'package.json'), 'utf8'))
  return String(version)
}

/**
 * Opens a session on a packed state; null begins with nothing. A state of another version of monty or with another
 * memory limit is not used, since the limit is a part of it that cannot be changed.
 */
export function openPythonSession(state: string | null, memoryMb: number): PythonSession {
  const head = Buffer.from(`monty ${readMontyVersion()} ${memoryMb}\n`)
  const restored = state === null ? undefined : unpack(Buffer.from(state, 'base64'), head)
  // The parent limits the time: it survives a loop in native code, and a state cannot bring it along.
  const limits = { maxMemory: memoryMb * 1024 * 1024, maxRecursionDepth: 500 }
  const repl = restored ?? new MontyRepl({ limits })
  return {
    repl,
    stateLost: state !== null && restored === undefined,
    pack() {
      const bytes = repl.dump()
      return bytes.length > stateBytesLimit - head.length ? null : Buffer.concat([head, bytes]).toString('base64')
    },
  }
}

function unpack(bytes: Buffer, head: Buffer): MontyRepl | undefined {
  if (!bytes.subarray(0, head.length).equals(head)) return undefined
  try {
    return MontyRepl.load(bytes.subarray(head.length))
  } catch {
    return undefined
  }
}

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)
const mostNames = 5_000

/**
 * Makes the names in `code` known to the session without giving them a value. Monty compiles each piece of a session by
 * itself, and a function would never find a name that is not known yet: that of a function further down, or in a later
 * call. A name without a value behaves as before, so names from texts and comments do no harm. A built-in name would be
 * hidden, so those stay out.
 */
export function declareNames(repl: MontyRepl, code: string): void {
  const names = [...new Set(code.match(/[\p{L}_][\p{L}\p{N}_]*/gu))].filter((name) => !keywords.has(name))
  const builtIn = builtInAmong(names.slice(0, mostNames))
  const own = names.slice(0, mostNames).filter((name) => !builtIn.has(name))
  repl.feed(['if False:', '  pass', ...own.map((name) => `  ${name} = None`)].join('\n'))
}

function builtInAmong(names: readonly string[]): ReadonlySet<string> {
  const tries = names.map((name) => `try:\n  ${name}\n  _builtIn_.append('${name}')\nexcept NameError:\n  pass`)
  return new Set(new MontyRepl().feed(['_builtIn_ = []', ...tries, '_builtIn_'].join('\n')))
}
