import picomatch from 'picomatch'
import { createIgnoreRules, type IgnoreRules } from '#overlay'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { ancestorsOf, isWithin, nameOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { rankPaths } from '../paths/rank-paths.ts'
import type { BaseTree } from './base-tree.ts'
import {
  type FileScan,
  type GrepFile,
  type GrepLine,
  type GrepQuery,
  type Search,
  SearchError,
  type SearchScope,
} from './search.ts'

/** A file of the scope and how to read its bytes. */
interface Found {
  readonly path: VirtualPath
  read(): Promise<Uint8Array>
}

/**
 * Searches base and overlay in memory, with the same ignore rules and globs. Patterns are JavaScript's, which mean the
 * same where both dialects agree. It cuts no long lines and has no limits: scans leave out `unsearched`. It refuses `**` beside another character.
 */
export function createMemorySearch(base: BaseTree, unsearched: readonly VirtualPath[] = []): Search & FileScan {
  return {
    async grep(query, scope, signal) {
      signal.throwIfAborted()
      const expression = compilePattern(query)
      const fits = query.glob === undefined ? () => true : compileContentGlob(query.glob)
      const files: GrepFile[] = []
      let binarySkipped = 0
      for (const { path, read } of await filesIn(base, scope, false)) {
        if (!fits(relativeTo(scope.path, path))) continue
        const { text, isBinary } = decoded(await read())
        const lines = query.multiline ? matchWhole(text, expression) : matchLines(text, expression)
        if (lines.size === 0) continue
        if (isBinary) binarySkipped += 1
        else files.push({ path, matches: lines.size, lines: shownLines(text, lines, query.context) })
      }
      return { files, binarySkipped, unreadable: 0, truncated: false }
    },
    async files(globs, scope, signal) {
      signal.throwIfAborted()
      const matchers = globs.map(compileNameGlob)
      const found = await filesIn(base, scope, scope.includeIgnored)
      return found
        .map(({ path }) => path)
        .filter((path) => globs.length === 0 || matchers.some((matches) => matches(relativeTo(scope.path, path))))
    },
    async find(text, limit, scope, signal) {
      signal.throwIfAborted()
      const found = await filesIn(base, scope, scope.includeIgnored)
      return rankPaths(
        found.map(({ path }) => path),
        text,
        limit,
      )
    },
    async scan({ startBytes, holds, skippedFolders }) {
      const files = await filesIn(base, { path: rootPath, hidden: [], overlay: [], includeIgnored: true }, true)
      const found: VirtualPath[] = []
      for (const { path, read } of files) {
        if (unsearched.includes(path)) continue
        if (skippedFolders.some((name) => path.includes(`/${name}/`))) continue
        if (holds(path, (await read()).subarray(0, startBytes))) found.push(path)
      }
      return { all: files.map(({ path }) => path), found, unsearched }
    },
  }
}

/** All files in scope, those of the base that no rule excludes, sorted by path. The overlay never has files in `.git`. */
async function filesIn(base: BaseTree, scope: SearchScope, entersGit: boolean): Promise<readonly Found[]> {
  const all = await walk(base, rootPath)
  const isHidden = (path: VirtualPath) =>
    scope.made?.includes(path) === true || scope.hidden.some((hidden) => isWithin(path, hidden))
  const rules = await rulesOf(
    base,
    scope,
    all.filter((path) => !isHidden(path)),
  )
  const ignoresNothing = scope.includeIgnored || (scope.path !== rootPath && rules.isIgnored(scope.path, true))
  const isIgnored = (path: VirtualPath): boolean => {
    if (ignoresNothing) return false
    const folders = ancestorsOf(path).filter((folder) => folder !== rootPath)
    return rules.isIgnored(path, false) || folders.some((folder) => rules.isIgnored(folder, true))
  }
  const isInScope = (path: VirtualPath) => isWithin(path, scope.path)
  const ofBase = all
    .filter((path) => isInScope(path) && !isIgnored(path) && !isHidden(path) && (entersGit || !isGit(path)))
    .map((path) => ({ path, read: () => base.read(path) }))
  const ofOverlay = scope.overlay
    .filter(({ path }) => isInScope(path) && !isGit(path))
    .map(({ path, bytes }) => ({ path, read: async () => bytes }))
  return [...ofBase, ...ofOverlay].sort((a, b) => byCodeUnit(a.path, b.path))
}

async function rulesOf(base: BaseTree, scope: SearchScope, visible: readonly VirtualPath[]): Promise<IgnoreRules> {
  const texts = new Map<string, string>()
  const decoder = new TextDecoder()
  for (const path of visible) if (nameOf(path) === '.gitignore') texts.set(path, decoder.decode(await base.read(path)))
  for (const { path, bytes } of scope.overlay) if (nameOf(path) === '.gitignore') texts.set(path, decoder.decode(bytes))
  return createIgnoreRules((folder) => texts.get(folder === '/' ? '/.gitignore' : `${folder}/.gitignore`))
}

/** Only regular files. Links are not followed. */
async function walk(base: BaseTree, folder: VirtualPath): Promise<readonly VirtualPath[]> {
  const found: VirtualPath[] = []
  for (const { name, node } of (await base.list(folder))?.entries ?? []) {
    const path = (folder === rootPath ? `/${name}` : `${folder}/${name}`) as VirtualPath
    if (node.kind === 'file') found.push(path)
    if (node.kind === 'directory') found.push(...(await walk(base, path)))
  }
  return found
}

function isGit(path: VirtualPath): boolean {
  return /\/\.git(\/|$)/i.test(path)
}

/** The path as globs see it: relative to the scope, or the name if the scope is the file itself. */
function relativeTo(scope: VirtualPath, path: VirtualPath): string {
  if (path === scope) return nameOf(path)
  return path.slice(scope === rootPath ? 1 : scope.length + 1)
}

const globOptions: picomatch.PicomatchOptions = {
  dot: true,
  nonegate: true,
  noextglob: true,
  strictBrackets: true,
  posix: true,
  flags: 's',
}

function compileNameGlob(glob: string): (path: string) => boolean {
  const anchored = glob.replace(/^\/+/, '')
  if (anchored === '') throw new SearchError('bad_glob', `The glob "${glob}" names no file.`)
  if (anchored !== '**' && /[^/]\*\*|\*\*[^/]/.test(anchored))
    throw new SearchError('bad_glob', `The glob "${glob}" is not supported by the search in memory.`)
  try {
    const expression = picomatch.makeRe(anchored.replace(/[()|"+]/g, '\\$&'), globOptions)
    return (path) => expression.test(path)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SearchError('bad_glob', `The glob "${glob}" is not valid: ${error.message}.`)
  }
}

/** Compiles a glob for names. Without a slash it applies to the name at any depth. */
function compileContentGlob(glob: string): (path: string) => boolean {
  if (glob.includes('\0')) throw new SearchError('bad_glob', 'The glob is too long or holds a NUL.')
  return compileNameGlob(glob.includes('/') ? glob : `**/${glob}`)
}

const longestPattern = 100_000

function compilePattern({ pattern, literal, caseInsensitive, multiline }: GrepQuery): RegExp {
  if (pattern.includes('\0') || pattern.length > longestPattern)
    throw new SearchError('bad_pattern', 'The pattern is too long or holds a NUL. Shorten it, or write \\x00 for NUL.')
  const source = literal ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern
  try {
    return new RegExp(source, `gu${caseInsensitive ? 'i' : ''}${multiline ? 'ms' : ''}`)
  } catch (error) {
    const { position, reason } = whatIsOpen(source) ?? { position: 0, reason: (error as Error).message }
    const message = `The pattern ${JSON.stringify(pattern)} is not a valid regular expression at character ${position + 1}: ${reason}. `
    throw new SearchError('bad_pattern', `${message}Correct it, or search for it literally.`)
  }
}

function whatIsOpen(pattern: string): { readonly position: number; readonly reason: string } | undefined {
  const groups: number[] = []
  for (const { 0: token, index } of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()[]/gs)) {
    if (token === '[') return { position: index, reason: 'unclosed character class' }
    if (token === '(') groups.push(index)
    if (token === ')') groups.pop()
  }
  const open = groups.at(-1)
  return open === undefined ? undefined : { position: open, reason: 'unclosed group' }
}

function decoded(bytes: Uint8Array): { readonly text: string; readonly isBinary: boolean } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: new TextDecoder('utf-16le').decode(bytes), isBinary: false }
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isBinary: bytes.includes(0) }
}

/** Indexes of the matching lines. The line end is not part of a line. */
function matchLines(text: string, expression: RegExp): ReadonlySet<number> {
  const lines = linesOf(text).flatMap((line, index) => (line.search(expression) >= 0 ? [index] : []))
  return new Set(lines)
}

/** Indexes of all lines of matches that may span several lines. */
function matchWhole(text: string, expression: RegExp): ReadonlySet<number> {
  const found = new Set<number>()
  for (const { 0: match, index } of text.matchAll(expression)) {
    const first = text.slice(0, index).split('\n').length - 1
    const last = first + match.replace(/\n$/, '').split('\n').length - 1
    for (let line = first; line <= last; line += 1) found.add(line)
  }
  return found
}

function shownLines(text: string, matched: ReadonlySet<number>, context: number): readonly GrepLine[] {
  return linesOf(text).flatMap((line, index): GrepLine[] => {
    const near = [...matched].some((match) => Math.abs(match - index) <= context)
    return near ? [{ number: index + 1, text: line.replace(/\r$/, ''), isMatch: matched.has(index) }] : []
  })
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
