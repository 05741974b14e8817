import { join } from 'node:path'
import { expect } from '@playwright/test'
import xterm from '@xterm/headless'
import { spawn } from 'node-pty'
import { environment, node, root } from './coppice.ts'

/** A command line in a real terminal, and the screen as a person sees it. */
export interface TerminalRun extends Disposable {
  /** Everything on the screen and above it, without the empty end. */
  text(): string
  /** What the terminal was sent, with its control characters. */
  raw(): string
  /** Waits until the screen shows a text. */
  shows(text: string | RegExp): Promise<void>
  press(keys: string): void
  resize(columns: number, rows: number): void
  /** Resolves to the exit code. */
  readonly exit: Promise<number>
}

/** Starts the built command line in a terminal of this size. */
export function startInTerminal(
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
  {
    columns = 100,
    rows = 40,
    cwd = root,
  }: { readonly columns?: number; readonly rows?: number; readonly cwd?: string } = {},
): TerminalRun {
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  const env = { ...environment(extra), TERM: 'xterm-256color', LANG: 'C.UTF-8', ...extra }
  const child = spawn(node, [join(root, 'bin/coppice.mjs'), ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env,
  })
  let raw = ''
  child.onData((data) => {
    raw += data
    screen.write(data)
  })
  const exit = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)))
  const text = (): string => {
    const { buffer } = screen
    const lines = Array.from(
      { length: buffer.active.length },
      (_, row) => buffer.active.getLine(row)?.translateToString(true) ?? '',
    )
    return lines.join('\n').trimEnd()
  }
  return {
    text,
    raw: () => raw,
    shows: (wanted) =>
      typeof wanted === 'string'
        ? expect.poll(text, { timeout: 20_000 }).toContain(wanted)
        : expect.poll(text, { timeout: 20_000 }).toMatch(wanted),
    press: (keys) => child.write(keys),
    resize(newColumns, newRows) {
      child.resize(newColumns, newRows)
      screen.resize(newColumns, newRows)
    },
    exit,
    [Symbol.dispose]() {
      try {
        child.kill('SIGKILL')
      } catch {
        // It has ended.
      }
      screen.dispose()
    },
  }
}
