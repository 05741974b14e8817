/** The fork installed under this name declares its types under its own name. These are the ones in use. */
declare module 'node-pty' {
  interface PseudoTerminal {
    onData(listener: (data: string) => void): { dispose(): void }
    onExit(listener: (end: { exitCode: number; signal?: number }) => void): { dispose(): void }
    write(data: string): void
    resize(columns: number, rows: number): void
    kill(signal?: string): void
  }
  interface PseudoTerminalOptions {
    name: string
    cols: number
    rows: number
    cwd: string
    env: Record<string, string | undefined>
  }
  export function spawn(file: string, args: string[], options: PseudoTerminalOptions): PseudoTerminal
}
