import { type AndOr, type Command, type CompoundList, parse, type Statement, type Word, type WordPart } from 'unbash'
import { type Machine, MachineError } from './machine.testkit.ts'
import { type Program, programs } from './machine-programs.testkit.ts'

/** The settings of one script. */
export interface ScriptOptions {
  readonly machine: Machine
  /** The folder in which it begins. */
  readonly folder: string
  readonly variables?: Readonly<Record<string, string>>
  /** Commands of the test. They take precedence over the standard ones. */
  readonly own?: Readonly<Record<string, Program>>
  /** Standard input; empty by default. */
  readonly input?: string
  readonly signal: AbortSignal
  /** Called with each piece of output as it comes. */
  readonly onOutput: (text: string) => void
  /** Waits in the script's own time. Throws to end the script. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

/** Commands can change these while the script runs. */
interface Running extends ScriptOptions {
  folder: string
  readonly known: Map<string, string>
  status: number
}

/** The output and input of a command. */
interface Streams {
  readonly input: string
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
}

class Exit extends Error {
  readonly status: number
  constructor(status: number) {
    super(`exit ${status}`)
    this.status = status
  }
}

type Node = Statement['command'] | AndOr['commands'][number]

/**
 * Runs a bash script on a machine in memory and returns its exit code. It supports lists, pipes, `for`, `if`, groups,
 * quotes, variables and redirections to files. It does not support name patterns, arithmetic, substitutions, functions
 * or jobs: a script that uses one ends there with exit code 2. Text is UTF-8 in pipes and files.
 */
export async function runScript(script: string, options: ScriptOptions): Promise<number> {
  const known = new Map(Object.entries({ PWD: options.folder, ...options.variables }))
  const running: Running = { ...options, known, status: 0 }
  const out = { input: options.input ?? '', print: options.onOutput, complain: options.onOutput }
  const parsed = parse(script)
  const problem =
    parsed.errors?.[0]?.message ?? (parsed.commands.some(({ background }) => background) ? '&' : undefined)
  if (problem !== undefined) return refused(out, problem)
  try {
    await runList(running, parsed, out)
    return running.status
  } catch (error) {
    if (error instanceof Exit) return error.status
    if (error instanceof Unsupported) return refused(out, error.message)
    throw error
  }
}

class Unsupported extends Error {}

function refused({ complain }: Streams, problem: string): number {
  complain(`memory shell: ${problem}\n`)
  return 2
}

async function runList(
  running: Running,
  { commands }: Pick<CompoundList, 'commands'>,
  streams: Streams,
): Promise<void> {
  for (const { command } of commands) await runNode(running, command, streams)
}

async function runNode(running: Running, node: Node, streams: Streams): Promise<void> {
  running.signal.throwIfAborted()
  switch (node.type) {
    case 'Command':
      return runCommand(running, node, streams)
    case 'AndOr': {
      for (const [index, part] of node.commands.entries()) {
        const operator = node.operators[index - 1]
        if ((operator === '&&' && running.status !== 0) || (operator === '||' && running.status === 0)) continue
        await runNode(running, part, streams)
      }
      return
    }
    case 'Pipeline': {
      let { input } = streams
      for (const [index, part] of node.commands.entries()) {
        const pieces: string[] = []
        const isLast = index === node.commands.length - 1
        const print = isLast ? streams.print : (piece: string) => void pieces.push(piece)
        await runNode(running, part, { ...streams, input, print })
        input = pieces.join('')
      }
      if (node.prefixes.some(({ type }) => type === 'Negation')) running.status = running.status === 0 ? 1 : 0
      return
    }
    case 'For': {
      for (const word of node.wordlist ?? []) {
        running.known.set(node.name.value, wordOf(running, word))
        await runList(running, node.body, streams)
      }
      return
    }
    case 'If': {
      for (const { clause, then } of [node, ...node.elif]) {
        await runList(running, clause, streams)
        if (running.status === 0) return runList(running, then, streams)
      }
      running.status = 0
      return node.else && runList(running, node.else, streams)
    }
    case 'BraceGroup':
      return runList(running, node.body, streams)
    case 'Subshell': {
      const inner = { ...running, known: new Map(running.known) }
      await runList(inner, node.body, streams)
      running.status = inner.status
      return
    }
    default:
      throw new Unsupported(`${node.type} is not supported`)
  }
}

async function runCommand(running: Running, command: Command, streams: Streams): Promise<void> {
  for (const part of command.prefix)
    if (part.type === 'Assignment' && part.value.type === 'Word')
      running.known.set(part.name, wordOf(running, part.value))
  const words = command.args.map((part) => (part.type === 'Word' ? wordOf(running, part) : part.text))
  if (!command.name) return
  const name = wordOf(running, command.name)
  await redirected(running, command, streams, async (own) => {
    running.status = await runProgram(running, name, words, own)
  })
}

async function runProgram(running: Running, name: string, words: readonly string[], streams: Streams): Promise<number> {
  const { machine, known, signal, sleep } = running
  const { input, print, complain } = streams
  if (name === 'cd') {
    const folder = words[0] ?? known.get('HOME') ?? '/'
    running.folder = folder.startsWith('/') ? folder : `${running.folder}/${folder}`
    known.set('PWD', running.folder)
    return 0
  }
  if (name === 'exit') throw new Exit(Number(words[0] ?? running.status))
  const program = running.own?.[name] ?? programs[name]
  if (!program) {
    complain(`bash: line 1: ${name}: command not found\n`)
    return 127
  }
  const run = (called: string, given: readonly string[], from = '') =>
    runProgram(running, called, given, { input: from, print, complain })
  try {
    const context = { machine, folder: running.folder, input, print, complain, signal, sleep, run }
    return (await program(words, context)) ?? 0
  } catch (error) {
    if (!(error instanceof MachineError)) throw error
    complain(`${name}: ${error.message}\n`)
    return 1
  }
}

/** Runs a command and then writes its redirected output to the file. */
async function redirected(
  running: Running,
  { redirects }: Command,
  streams: Streams,
  run: (streams: Streams) => Promise<void>,
): Promise<void> {
  let own = streams
  const closing: (() => void)[] = []
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') {
      own = { ...own, input: redirect.body.text }
      continue
    }
    const target = redirect.target ? wordOf(running, redirect.target) : ''
    const isError = redirect.descriptor?.type === 'FileDescriptor' && redirect.descriptor.value === 2
    if (redirect.operator === '<<<') own = { ...own, input: `${target}\n` }
    else if (redirect.operator === '<') own = { ...own, input: text(running.machine.read(placeOf(running, target))) }
    else if (redirect.operator === '>&')
      own = isError ? { ...own, complain: own.print } : { ...own, print: own.complain }
    else if (target === '/dev/null') own = isError ? { ...own, complain: () => {} } : { ...own, print: () => {} }
    else if (redirect.operator === '>' || redirect.operator === '>>') {
      const place = placeOf(running, target)
      const before =
        redirect.operator === '>>' && running.machine.follow(place) ? text(running.machine.read(place)) : ''
      const written: string[] = []
      const keep = (piece: string) => void written.push(piece)
      own = isError ? { ...own, complain: keep } : { ...own, print: keep }
      try {
        running.machine.write(place, bytes(before))
      } catch (error) {
        if (!(error instanceof MachineError)) throw error
        streams.complain(`bash: line 1: ${target}: ${error.message.split(': ').at(-1)}\n`)
        running.status = 1
        return
      }
      closing.push(() => running.machine.write(place, bytes(before + written.join(''))))
    } else throw new Unsupported(`the redirection ${redirect.operator} is not supported`)
  }
  try {
    await run(own)
  } finally {
    for (const close of closing) close()
  }
}

function placeOf({ folder }: Running, path: string): string {
  return path.startsWith('/') ? path : `${folder}/${path}`
}

function wordOf(running: Running, { value, parts }: Word): string {
  const home = running.known.get('HOME') ?? '/'
  if (!parts) return value.replace(/^~(?=\/|$)/, home)
  return parts.map((part) => partOf(running, part)).join('')
}

function partOf(running: Running, part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value
    case 'DoubleQuoted':
      return part.parts.map((child) => partOf(running, child)).join('')
    case 'SimpleExpansion':
      return part.text === '$?' ? String(running.status) : (running.known.get(part.text.slice(1)) ?? '')
    case 'ParameterExpansion':
      if (part.operation) break
      return running.known.get(part.parameter) ?? ''
    default:
  }
  throw new Unsupported(`${part.text} is not supported`)
}

function bytes(written: string): Uint8Array {
  return new TextEncoder().encode(written)
}

function text(content: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
}
