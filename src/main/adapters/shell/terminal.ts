import { appMark } from '../system/ends-with-app.ts'

export interface Terminal {
  write(data: string): void
  resize(columns: number, rows: number): void
  /** Hangs up. `onExit` is called when the shell has ended. */
  close(): void
}

export interface TerminalOptions {
  readonly cwd: string
  /** Returns the command line that starts a program in the right place. */
  readonly enter?: (program: readonly string[]) => readonly string[]
  readonly columns: number
  readonly rows: number
  /** Names of variables that the shell does not get, because they hold secrets of the app. */
  readonly hidden?: ReadonlySet<string>
  readonly onData: (data: string) => void
  readonly onExit: () => void
}

/** Milliseconds that a shell has to end after a hang-up, before it is killed. */
const graceMs = 2_000
/** Secrets of the app that every installation knows. */
const secrets = new Set(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'])

/** Opens the person's own shell in their own environment. No agent can reach it. */
export type OpenTerminal = (options: TerminalOptions) => Terminal

const loadNative = (): Promise<{ readonly spawn: Spawn }> => import('node-pty')

/** Loads the native part. Rejects with a sentence for a person on a system that it has no binary for. */
export async function loadTerminals(load = loadNative): Promise<OpenTerminal> {
  try {
    const { spawn } = await load()
    return (options) => openTerminal(spawn, options)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new Error(`There is no terminal for ${process.platform} ${process.arch} here. Use one of your own. (${why})`)
  }
}

type Spawn = typeof import('node-pty').spawn

function openTerminal(
  spawn: Spawn,
  { cwd, enter, columns, rows, hidden = new Set(), onData, onExit }: TerminalOptions,
): Terminal {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !secrets.has(name) && !hidden.has(name))),
    // What is left of a shell in a view of a branch must not write to it when that is taken up.
    ...(enter && appMark()),
  }
  const shell = defaultShell()
  const [program = shell, ...parameters] = enter ? enter([shell]) : [shell]
  const terminal = spawn(program, parameters, { name: 'xterm-256color', cols: columns, rows, cwd, env })
  let open = true
  let killing: NodeJS.Timeout | undefined
  terminal.onData((data) => {
    if (open) onData(data)
  })
  terminal.onExit(() => {
    open = false
    clearTimeout(killing)
    onExit()
  })
  return {
    write: (data) => open && terminal.write(data),
    resize(newColumns, newRows) {
      if (!open) return
      try {
        terminal.resize(newColumns, newRows)
      } catch {
        // The shell has ended but `onExit` was not called yet: there is nothing to resize.
      }
    },
    close() {
      if (!open || killing) return
      terminal.kill()
      killing = setTimeout(
        () => open && terminal.kill(process.platform === 'win32' ? undefined : 'SIGKILL'),
        graceMs,
      ).unref()
    },
  }
}

function defaultShell(): string {
  if (process.platform === 'win32') return 'powershell.exe'
  return process.env.SHELL || (process.platform === 'darwin' ? '/bin/zsh' : '/bin/bash')
}
