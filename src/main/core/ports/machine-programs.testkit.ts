import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { folderOf, join, lastName, type Machine, MachineError } from './machine.testkit.ts'

/** What a program of the machine in memory works with. */
export interface ProgramContext {
  readonly machine: Machine
  /** The folder in which it was started. */
  readonly folder: string
  /** The input from a pipe or a redirection. */
  readonly input: string
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  readonly signal: AbortSignal
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Starts another program and returns its exit code. */
  readonly run: (name: string, words: readonly string[], input?: string) => Promise<number>
}

/** Returns the exit code; nothing means 0. A thrown `MachineError` becomes its error output, with exit code 1. */
export type Program = (
  words: readonly string[],
  context: ProgramContext,
) => Promise<number | undefined> | number | undefined

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** The few programs that test scripts use, with the options they use. Words that are not options are paths. */
export const programs: Readonly<Record<string, Program>> = {
  true: () => 0,
  false: () => 1,
  echo: (words, { print }) => void print(`${words.join(' ')}\n`),
  printf: ([format = '', ...words], { print }) => void print(formatted(format, words)),
  pwd: (_, { print, folder }) => void print(`${folder}\n`),
  cat(words, { machine, folder, input, print }) {
    if (words.length === 0) print(input)
    for (const path of words) print(decode(machine.read(join(folder, path))))
    return 0
  },
  ls(words, { machine, folder, print }) {
    const { flags, paths } = optionsIn(words)
    for (const path of paths.length > 0 ? paths : ['.'])
      for (const name of machine.names(join(folder, path)))
        if (flags.has('A') || !name.startsWith('.')) print(`${name}\n`)
    return 0
  },
  mkdir(words, { machine, folder }) {
    const { flags, paths } = optionsIn(words)
    for (const path of paths) {
      const place = join(folder, path)
      if (!flags.has('p')) machine.makeFolder(place)
      else if (machine.follow(place)?.kind !== 'directory') machine.put(cleaned(place), { kind: 'directory' })
    }
    return 0
  },
  rm(words, { machine, folder }) {
    const { flags, paths } = optionsIn(words)
    for (const path of paths) {
      const place = join(folder, path)
      const node = machine.look(place)
      if (!node && flags.has('f')) continue
      if (!node) throw new MachineError(path, 'No such file or directory')
      if (node.kind === 'directory' && !flags.has('r')) throw new MachineError(path, 'Is a directory')
      machine.remove(place)
    }
    return 0
  },
  cp(words, context) {
    const [from, to] = fromAndTo(words, context)
    context.machine.write(to, context.machine.read(from))
    return 0
  },
  mv(words, { machine, ...context }) {
    const [from, to] = fromAndTo(words, { machine, ...context })
    const node = machine.look(from)
    if (!node) throw new MachineError(from, 'No such file or directory')
    const moved = machine.below(from)
    machine.remove(from)
    machine.put(to, node)
    for (const [path, inner] of moved) machine.put(`${to}${path}`, inner)
    return 0
  },
  ln(words, { machine, folder }) {
    const { paths } = optionsIn(words)
    const [target = '', path = ''] = paths
    const place = join(folder, path)
    if (machine.look(place)) throw new MachineError(path, 'File exists')
    if (machine.follow(folderOf(place))?.kind !== 'directory') throw new MachineError(path, 'No such file or directory')
    machine.put(cleaned(place), { kind: 'symlink', target })
    return 0
  },
  readlink(words, { machine, folder, print }) {
    const node = machine.look(join(folder, words[0] ?? ''))
    if (node?.kind !== 'symlink') return 1
    print(`${node.target}\n`)
    return 0
  },
  chmod([mode = '', ...paths], { machine, folder }) {
    for (const path of paths) machine.write(join(folder, path), machine.read(join(folder, path)), mode === '+x')
    return 0
  },
  touch(paths, { machine, folder }) {
    for (const path of paths) if (!machine.follow(join(folder, path))) machine.write(join(folder, path), encode(''))
    return 0
  },
  mkfifo(paths, { machine, folder }) {
    for (const path of paths) machine.put(cleaned(join(folder, path)), { kind: 'special' })
    return 0
  },
  test: (words, context) => tested(words, context),
  '[': (words, context) => tested(words.slice(0, -1), context),
  find(words, { machine, folder, print }) {
    const [start = '.', option, kind] = words
    const wanted = (node: { readonly kind: string }) => option !== '-type' || (kind === 'f' && node.kind === 'file')
    const root = machine.follow(join(folder, start))
    if (root && wanted(root)) print(`${start}\n`)
    for (const [path, node] of machine.below(cleaned(join(folder, start)))) if (wanted(node)) print(`${start}${path}\n`)
    return 0
  },
  sort: (_, { input, print }) => void print(joined(linesOf(input).sort(byCodeUnit))),
  async xargs([name = 'echo', ...words], { input, run }) {
    return run(name, [...words, ...input.split(/\s+/).filter(Boolean)])
  },
  /** Supports only `-n +1 -q`, which prints all lines of all files. */
  tail(words, { machine, folder, print }) {
    for (const path of optionsIn(words).paths.filter((word) => word !== '+1'))
      print(decode(machine.read(join(folder, path))))
    return 0
  },
  seq([last = '0'], { print }) {
    for (let number = 1; number <= Number(last); number += 1) print(`${number}\n`)
    return 0
  },
  async sleep([seconds = '0'], { sleep }) {
    await sleep(seconds === 'infinity' ? Number.POSITIVE_INFINITY : Number(seconds) * 1000)
    return 0
  },
}

function tested(
  [option = '', path = '']: readonly string[],
  { machine, folder }: Pick<ProgramContext, 'machine' | 'folder'>,
): number {
  const node = machine.follow(join(folder, path))
  const holds: Readonly<Record<string, boolean>> = {
    '-e': node !== undefined,
    '-f': node?.kind === 'file',
    '-d': node?.kind === 'directory',
    '-x': node?.kind === 'directory' || (node?.kind === 'file' && node.executable),
  }
  return holds[option] ? 0 : 1
}

/** If the target is a folder, the source keeps its own name inside it. */
function fromAndTo(
  words: readonly string[],
  { machine, folder }: Pick<ProgramContext, 'machine' | 'folder'>,
): readonly [string, string] {
  const [from = '', to = ''] = optionsIn(words).paths
  const goal = join(folder, to)
  const inside = machine.follow(goal)?.kind === 'directory'
  return [cleaned(join(folder, from)), cleaned(inside ? join(goal, lastName(from)) : goal)]
}

function optionsIn(words: readonly string[]): {
  readonly flags: ReadonlySet<string>
  readonly paths: readonly string[]
} {
  const isOption = (word: string) => /^-\w+$/.test(word)
  return { flags: new Set(words.filter(isOption).join('')), paths: words.filter((word) => !isOption(word)) }
}

/** Removes `.` and `..` from a path without links. */
function cleaned(path: string): string {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return `/${names.join('/')}`
}

function formatted(format: string, words: readonly string[]): string {
  const waiting = [...words]
  return format
    .replace(/\\([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\\n/g, '\n')
    .replace(/%s/g, () => waiting.shift() ?? '')
}

function linesOf(text: string): string[] {
  return text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined)
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
