import type { Socket } from 'node:net'

/** A command line that another process carries out, because that one has the project open. */
export interface HandedLine {
  /** The arguments, with paths made absolute. */
  readonly args: readonly string[]
  /** Variables that say how output looks and which programs the person uses. */
  readonly environment: Readonly<Record<string, string>>
  /** Which of the three are a terminal. */
  readonly terminals: { readonly input: boolean; readonly output: boolean; readonly errors: boolean }
  readonly size: TerminalSize
}

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** A program that the person sees, such as an editor or a pager. It runs where the terminal is. */
export interface ShownProgram {
  /** As a person types it into a shell. */
  readonly line: string
  /** What it reads instead of the keyboard. Absent for the keyboard. */
  readonly input?: string
  /** Variables besides the person's own. */
  readonly environment: Readonly<Record<string, string>>
}

/** How a program ended: its exit code, or why it has none, as the name of a signal or a sentence. */
export type ProgramEnd = { readonly code: number } | { readonly why: string }

/** What the process with the terminal says. Bytes are base64. */
export type FrameFromTerminal =
  | { readonly kind: 'hello'; readonly token: string; readonly version: string; readonly line: HandedLine }
  | { readonly kind: 'input'; readonly bytes: string }
  | { readonly kind: 'input_end' | 'stop' | 'continued' }
  | { readonly kind: 'size'; readonly size: TerminalSize }
  | { readonly kind: 'program_ended'; readonly end: ProgramEnd }

/** What the process with the project says. */
export type FrameToTerminal =
  | { readonly kind: 'welcome'; readonly holder: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'output' | 'errors'; readonly bytes: string }
  | { readonly kind: 'read' | 'suspend' }
  | { readonly kind: 'raw'; readonly on: boolean }
  | { readonly kind: 'program'; readonly program: ShownProgram }
  | { readonly kind: 'exit'; readonly code: number }

/** Sends one frame as a line of JSON. `sent` is called when there is room for more. */
export function sendFrame(
  socket: Socket,
  frame: FrameFromTerminal | FrameToTerminal,
  sent: () => void = () => undefined,
): void {
  if (socket.writableEnded || socket.destroyed) sent()
  else socket.write(`${JSON.stringify(frame)}\n`, () => sent())
}

/** Characters of one frame. A longer one ends the connection. */
const mostOfFrame = 64 * 1024 * 1024

/** Calls `take` with every frame, in order. A line that is no frame ends the connection. */
export function readFrames<Frame extends { readonly kind: string }>(
  socket: Socket,
  take: (frame: Frame) => void,
): void {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    rest += text
    if (rest.length > mostOfFrame) return void socket.destroy()
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const frame = parse<Frame>(line)
      if (frame === null) return void socket.destroy()
      take(frame)
    }
  })
}

/** Both ends are the same version of this app, which the first frame proves, so the kind is enough to check. */
function parse<Frame extends { readonly kind: string }>(line: string): Frame | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'kind' in value ? (value as Frame) : null
  } catch {
    return null
  }
}
