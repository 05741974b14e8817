import { Readable, Writable } from 'node:stream'
import type { Guest } from '#host/handover/door.ts'
import type { FrameFromTerminal, ProgramEnd } from '#host/handover/frames.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { exitCodes } from '../exit-codes.ts'
import { atTerminal, readWhole, type Terminal, type TerminalInput, type TerminalOutput } from '../screen/terminal.ts'

/** Carries out the command line of another process with this process's projects, at the terminal of the other one. */
export async function carryOut(
  guest: Guest,
  host: Host,
  runLine: (args: readonly string[]) => Promise<number>,
): Promise<number> {
  const { promise: left, resolve: leave } = Promise.withResolvers<number>()
  const place = { ...terminalOf(guest, host, leave), runLine }
  const close = (): void => {
    place.errors.write('coppice: It was closed. What it did so far is kept.\n')
    leave(exitCodes.stopped)
  }
  guest.closing.addEventListener('abort', close, { once: true })
  const code = await Promise.race([atTerminal(place, () => runLine(guest.line.args)), left])
  for (const stream of [place.output, place.errors]) await new Promise<void>((sent) => void stream.end(() => sent()))
  return code
}

function terminalOf(guest: Guest, host: Host, leave: (code: number) => void): Terminal {
  const { terminals, environment } = guest.line
  let { size } = guest.line
  const onStop = new Set<() => void>()
  const stop = (): void => {
    // Before a verb listens there is nothing that it could end well.
    if (onStop.size === 0) leave(exitCodes.stopped)
    for (const listener of [...onStop]) listener()
  }
  let continued: () => void = () => undefined
  let programEnded: (end: ProgramEnd) => void = () => undefined
  const input = inputOf(guest, terminals.input)
  const take = (frame: FrameFromTerminal): void => {
    switch (frame.kind) {
      case 'input':
        return void input.push(Buffer.from(frame.bytes, 'base64'))
      case 'input_end':
        return void input.push(null)
      case 'stop':
        return void stop()
      case 'continued':
        return void continued()
      case 'size':
        size = frame.size
        return
      case 'program_ended':
        return void programEnded(frame.end)
      case 'hello':
    }
  }
  guest.listen(take)
  guest.gone.addEventListener('abort', stop, { once: true })
  return {
    input,
    readAll: () => readWhole(input),
    output: outputOf(guest, 'output', terminals.output, () => size),
    errors: outputOf(guest, 'errors', terminals.errors, () => size),
    environment,
    host,
    onStop(listener) {
      onStop.add(listener)
      if (guest.gone.aborted) listener()
      return { [Symbol.dispose]: () => void onStop.delete(listener) }
    },
    stop,
    hangUp: stop,
    leave,
    suspend(onContinue) {
      continued = onContinue
      guest.send({ kind: 'suspend' })
    },
    show(program) {
      const { promise, resolve } = Promise.withResolvers<ProgramEnd>()
      programEnded = resolve
      guest.gone.addEventListener('abort', () => resolve({ why: 'the terminal went away' }), { once: true })
      guest.send({ kind: 'program', program })
      return promise
    },
  }
}

/** Asks for the keyboard when somebody reads for the first time. */
function inputOf(guest: Guest, isTTY: boolean): Readable & TerminalInput {
  let isAsked = false
  const stream = new Readable({
    read() {
      if (!isAsked) guest.send({ kind: 'read' })
      isAsked = true
    },
  })
  return Object.assign(stream, { isTTY, setRawMode: (on: boolean) => guest.send({ kind: 'raw', on }) })
}

function outputOf(
  guest: Guest,
  kind: 'output' | 'errors',
  isTTY: boolean,
  size: () => { readonly columns: number; readonly rows: number },
): TerminalOutput {
  const stream = new Writable({
    write: (bytes: Buffer, _encoding, sent) => guest.send({ kind, bytes: bytes.toString('base64') }, sent),
  })
  return Object.defineProperties(stream, {
    isTTY: { value: isTTY },
    columns: { get: () => size().columns },
    rows: { get: () => size().rows },
  })
}
