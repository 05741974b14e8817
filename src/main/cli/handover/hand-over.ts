import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Door } from '#host/handover/door.ts'
import { type FrameToTerminal, type HandedLine, readFrames, sendFrame } from '#host/handover/frames.ts'
import { HeldProjectError } from '#host/handover/held-project.ts'
import type { Projects } from '#host/project/projects.ts'
import { appVersion } from '../app-paths.ts'
import type { CommandLine } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printStatus } from '../print-status.ts'
import { runShown, terminal } from '../screen/terminal.ts'
import { absoluteLine } from './absolute-line.ts'
import { readOutput } from './end-cut.ts'
import { HandOver } from './handed-line.ts'

/** How long a process may take to open its door, in milliseconds. One that works takes a moment. */
const patience = 15_000

/** How long a verb waits before it asks again for a project whose process has closed its door, in milliseconds. */
const betweenTries = 50

/**
 * The projects of this process, of which one that is open elsewhere hands the command line over. A process that has not answered
 * after `patient` milliseconds hangs, or was stopped. One that opens no door is about to end, or has just come: it is asked for
 * again as long.
 */
export function orHandOver(projects: Projects, line: CommandLine, patient = patience): Projects {
  async function orElse<Opened>(open: () => Promise<Opened>, until = Date.now() + patient): Promise<Opened> {
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof HeldProjectError) || error.door === null) throw error
      const handed = error.door ? await knock(error.door, line, patient) : null
      if (handed === 'silent')
        throw new HeldProjectError(
          `${error.message} It does not answer: if it hangs, end that process and try again.`,
          null,
        )
      if (handed !== null || Date.now() > until) throw handed ?? error
    }
    await delay(betweenTries)
    return orElse(open, until)
  }
  return {
    ...projects,
    open: (path) => orElse(() => projects.open(path)),
    openStored: (place) => orElse(() => projects.openStored(place)),
  }
}

/** Null when nobody opens. Throws what the other process says when it refuses. */
function knock({ place, token }: Door, line: CommandLine, patient: number): Promise<HandOver | 'silent' | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(place)
    const timer = setTimeout(() => {
      resolve('silent')
      socket.destroy()
    }, patient)
    const answered = () => clearTimeout(timer)
    const early: (FrameToTerminal | null)[] = []
    let take = (frame: FrameToTerminal | null): void => void early.push(frame)
    const listen: HandOver['listen'] = (listener) => {
      take = listener
      for (const frame of early.splice(0)) listener(frame)
    }
    socket.on('error', () => resolve(null))
    socket.on('close', () => {
      answered()
      resolve(null)
      take(null)
    })
    socket.on('connect', () => sendFrame(socket, { kind: 'hello', token, version: appVersion(), line: handed(line) }))
    readFrames<FrameToTerminal>(socket, (frame) => {
      answered()
      if (frame.kind === 'refused') reject(new Error(frame.message))
      else if (frame.kind === 'welcome') resolve(new HandOver(frame.holder, socket, listen))
      else take(frame)
    })
  })
}

/** What decides how output looks, and which programs the person uses. */
const shared =
  /^(NO_COLOR|FORCE_COLOR|TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|COLORTERM|TMUX|CI|LANG|LC_ALL|LC_CTYPE|VISUAL|EDITOR|PAGER|LESS)$/

function handed(line: CommandLine): HandedLine {
  const { stdin, stdout, stderr, env } = process
  const environment = Object.entries(env).filter(([name, value]) => shared.test(name) && value !== undefined)
  return {
    args: absoluteLine(line, process.cwd()),
    environment: Object.fromEntries(environment) as Record<string, string>,
    terminals: { input: stdin.isTTY === true, output: stdout.isTTY === true, errors: stderr.isTTY === true },
    size: size(),
  }
}

function size() {
  return { columns: process.stderr.columns || 80, rows: process.stderr.rows || 24 }
}

/** Sends what this terminal reads, from when it is called. Rejects when there is too much. */
function senderOfInput(socket: HandOver['socket']): () => Promise<void> {
  const { readAll } = terminal()
  const { stdin } = process
  const send = (bytes: Buffer): void => sendFrame(socket, { kind: 'input', bytes: bytes.toString('base64') })
  const end = (): void => sendFrame(socket, { kind: 'input_end' })
  return async () => {
    if (stdin.isTTY) return void stdin.on('data', send).on('end', end)
    send(Buffer.from(await readAll().catch(() => '')))
    end()
  }
}

/** Lends this terminal to the other process until the command line has ended there. Resolves to its exit code. */
export async function lendTerminal({ holder, socket, listen }: HandOver, line: CommandLine): Promise<number> {
  if (!line.flag('quiet') && !line.flag('json')) printStatus(`This project is open in ${holder}, which does this.`)
  const { stdin, stdout, stderr } = process
  const read = senderOfInput(socket)
  const shown = readOutput(line)
  const { promise, resolve } = Promise.withResolvers<number>()
  let isStopped = false
  let hasEnded = false
  const stop = (): void => {
    if (isStopped) process.exit(exitCodes.stopped)
    isStopped = true
    sendFrame(socket, { kind: 'stop' })
  }
  const suspend = (): void => {
    process.once('SIGCONT', () => sendFrame(socket, { kind: 'continued' }))
    process.kill(process.pid, 'SIGTSTP')
  }
  const take = (frame: FrameToTerminal | null): void => {
    if (frame === null) return void lost()
    switch (frame.kind) {
      case 'output':
        return void show(Buffer.from(frame.bytes, 'base64'))
      case 'errors':
        return void stderr.write(Buffer.from(frame.bytes, 'base64'))
      case 'read':
        return void read().catch(lost)
      case 'raw':
        return void (stdin.isTTY && stdin.setRawMode(frame.on))
      case 'suspend':
        return void suspend()
      case 'program':
        stdin.pause()
        return void runShown(frame.program).then((end) => {
          stdin.resume()
          sendFrame(socket, { kind: 'program_ended', end })
        })
      case 'exit':
        return void end(frame.code)
      case 'welcome':
      case 'refused':
    }
  }
  const show = (bytes: Buffer): void => {
    shown.saw(bytes)
    stdout.write(bytes)
  }
  const end = (code: number, why = `${holder} ended this.`): void => {
    const status = code === exitCodes.stopped ? 'stopped' : 'failed'
    const isCut = !hasEnded && (code === exitCodes.stopped || code === exitCodes.failed)
    const missing = isCut ? shown.missing(why, status) : null
    if (missing !== null) stdout.write(missing)
    hasEnded = true
    resolve(code)
  }
  const lost = (): void => {
    const why = `The connection to ${holder} ended. What it did so far is kept there: coppice threads`
    if (!hasEnded) printStatus(`coppice: ${why}`)
    end(exitCodes.failed, why)
  }
  listen(take)
  const resized = (): void => sendFrame(socket, { kind: 'size', size: size() })
  stderr.on('resize', resized)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  try {
    return await promise
  } finally {
    for (const signal of signals) process.off(signal, stop)
    stderr.off('resize', resized)
    socket.destroy()
    if (stdin.isTTY) stdin.setRawMode(false)
    stdin.pause()
  }
}
