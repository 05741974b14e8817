import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { GrepQuery } from '#core/ports/search.ts'

/** Numbers that depend on the seed alone. */
export interface Draw {
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  of<Item>(items: readonly [Item, ...Item[]]): Item
}

export function createDraw(seed: number): Draw {
  let state = seed >>> 0
  const below = (end: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * end)
  }
  return { below, of: (items) => items[below(items.length)] ?? items[0] }
}

const words = [
  ...[
    'needle',
    'Needle',
    'NEEDLE',
    'needles',
    'task',
    'TASK',
    'desk',
    'kilo',
    'cursor_window',
    'retry.order',
    'a(b)[c]',
  ],
  ...[
    'straße',
    'STRASSE',
    'éclair',
    'ÉCLAIR',
    '漢字',
    'ſharp',
    '\u212aelvin',
    'kelvin',
    'x',
    'ab',
    'abc',
    'foo/bar',
    '\\n',
  ],
] as const
const ends = ['\n', '\n', '\n', '\r\n', '\r', ' ', '\0', '\t'] as const
const folders = [
  '/',
  '/src',
  '/src/deep',
  '/src/deep/down',
  '/build',
  '/docs',
  '/Ünï',
  '/nested',
  '/nested/in',
  '/.hidden',
] as const
const names = ['a.ts', 'b.ts', 'c.js', 'd.log', 'README', '.env', '[x].ts', 'é.md', 'with space', 'f.bin'] as const
const ignores = ['*.log\n', 'build/\n', '/docs\n', '!d.log\n', 'deep/*\n!deep/down\n', '', '[ab].ts\n'] as const

function line(draw: Draw): string {
  return Array.from({ length: draw.below(6) }, () => draw.of(words)).join(draw.of([' ', '', '_'])) + draw.of(ends)
}

export function randomText(draw: Draw): Uint8Array {
  const text = Array.from({ length: draw.below(12) }, () => line(draw)).join('')
  const kind = draw.below(20)
  if (kind === 0) return Buffer.from(`\ufeff${text}`, 'utf16le')
  if (kind === 1) return Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
  if (kind === 2) return Buffer.from(`\ufeff${text}`)
  if (kind === 3) return Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(text)])
  return Buffer.from(text)
}

export function randomPath(draw: Draw): string {
  return join(draw.of(folders), draw.of(names))
}

/** A folder without changes yet. */
export function makeProject(root: string, draw: Draw): void {
  for (let count = 20 + draw.below(30); count > 0; count -= 1) put(root, randomPath(draw), randomText(draw))
  writeFileSync(join(root, '.gitignore'), draw.of(ignores))
  if (draw.below(2) === 0) mkdirSync(join(root, '.git'), { recursive: true })
}

/** Changes something in the folder in one of the ways in which programs do. Some changes come to nothing. */
export function changeProject(root: string, draw: Draw): void {
  const [path, other] = [randomPath(draw), randomPath(draw)].map((each) => join(root, each)) as [string, string]
  const [folder, place] = [draw.of(folders), draw.of(folders)].map((each) => join(root, each)) as [string, string]
  const changes: readonly [() => void, ...(() => void)[]] = [
    () => put(root, randomPath(draw), randomText(draw)),
    () => put(root, randomPath(draw), randomText(draw)),
    () => isFile(path) && appendFileSync(path, line(draw)),
    () => isFile(path) && replace(path, randomText(draw)),
    () => rmSync(path, { force: true, recursive: true }),
    () => isFile(path) && existsSync(dirname(other)) && !existsSync(other) && renameSync(path, other),
    () => folder !== join(root, '/') && rmSync(folder, { force: true, recursive: true }),
    () => folder !== join(root, '/') && moveFolder(folder, place),
    () => existsSync(folder) && writeFileSync(join(folder, '.gitignore'), draw.of(ignores)),
    () => writeFileSync(join(root, '.gitignore'), draw.of(ignores)),
    () => rmSync(join(folder, '.gitignore'), { force: true }),
    () => folder !== join(root, '/') && existsSync(folder) && mkdirSync(join(folder, '.git'), { recursive: true }),
    () => folder !== join(root, '/') && rmSync(join(folder, '.git'), { force: true, recursive: true }),
    () => existsSync(dirname(path)) && !existsSync(path) && symlinkSync(other, path),
    () => isFile(path) && existsSync(dirname(other)) && !existsSync(other) && linkSync(path, other),
    () => isFile(path) && chmodSync(path, draw.of([0o644, 0o755])),
  ]
  try {
    draw.of(changes)()
  } catch (error) {
    // A folder where a file should come, or the other way round, is no change.
    if (
      !['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'EINVAL', 'ENOENT', 'ELOOP'].includes(
        (error as NodeJS.ErrnoException).code ?? '',
      )
    )
      throw error
  }
}

function put(root: string, path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), bytes)
}

function replace(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.new`, bytes)
  renameSync(`${path}.new`, path)
}

function moveFolder(folder: string, place: string): void {
  if (!existsSync(folder) || !existsSync(place)) return
  renameSync(folder, join(place, `moved-${readdirSync(place).length}`))
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** A pattern of words of the texts, and of everything that the engine's syntax has. */
export function randomQuery(draw: Draw): GrepQuery {
  const word = () => draw.of(words)
  const escaped = () =>
    word()
      .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
      .replaceAll('\\/', '/')
  const part = (depth: number): string => {
    const kinds: readonly [() => string, ...(() => string)[]] = [
      escaped,
      escaped,
      () =>
        escaped()
          .slice(0, 3 + draw.below(4))
          .replace(/\\$/, ''),
      () => `[${draw.of(['a-z', '^x', 'nN', '[:alpha:]', ']a', '-]', 'a[bc]', '\\]\\d'])}]`,
      () => draw.of(['.', '\\w+', '\\s', '\\b', '^', '$', '.*', '\\d*', '\\x41', '\\p{L}', '(?i)', '\\.']),
      () => `${escaped()}${draw.of(['*', '+', '?', '{2}', '{0,1}', '{1,}', '+?', '*?'])}`,
      () =>
        depth > 2
          ? escaped()
          : `${draw.of(['(', '(?:', '(?P<n>'])}${some(depth + 1)})${draw.of(['', '', '?', '+', '*'])}`,
      () => (depth > 2 ? escaped() : `(${some(depth + 1)}|${some(depth + 1)})`),
      () => ' ',
      () => '\\r?\\n',
    ]
    return draw.of(kinds)()
  }
  const some = (depth: number): string => Array.from({ length: 1 + draw.below(3) }, () => part(depth)).join('')
  const literal = draw.below(3) === 0
  const glob =
    draw.below(6) === 0
      ? draw.of(['*.ts', '*', '*.{ts,js}', 'src/**', '!*.ts', '**/*.md', 'deep', '[ab].*'])
      : undefined
  return {
    pattern: literal ? Array.from({ length: 1 + draw.below(2) }, word).join(draw.of(['', ' ', '_'])) : some(0),
    context: draw.below(2),
    caseInsensitive: draw.below(3) === 0,
    literal,
    multiline: draw.below(5) === 0,
    ...(glob !== undefined && { glob }),
  }
}
