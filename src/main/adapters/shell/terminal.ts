import { spawn } from 'node-pty'

export interface Terminal {
  write(data: string): void
  resize(columns: number, rows: number): void
  close(): void
}

export interface TerminalOptions {
  readonly cwd: string
  readonly columns: number
  readonly rows: number
  readonly onData: (data: string) => void
  readonly onExit: () => void
}

/** The app's own secrets; everything else in the terminal is the person's. */
const secrets = new Set(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'])

/** The person's own shell in their own environment. No agent can reach it. */
export function openTerminal({ cwd, columns, rows, onData, onExit }: TerminalOptions): Terminal {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !secrets.has(name)))
  const terminal = spawn(defaultShell(), [], { name: 'xterm-256color', cols: columns, rows, cwd, env })
  let open = true
  terminal.onData((data) => {
    if (open) onData(data)
  })
  terminal.onExit(() => {
    if (!open) return
    open = false
    onExit()
  })
  return {
    write: (data) => open && terminal.write(data),
    resize: (newColumns, newRows) => open && terminal.resize(newColumns, newRows),
    close() {
      if (!open) return
      open = false
      terminal.kill()
      onExit()
    },
  }
}

function defaultShell(): string {
  if (process.platform === 'win32') return 'powershell.exe'
  return process.env.SHELL || (process.platform === 'darwin' ? '/bin/zsh' : '/bin/bash')
}
