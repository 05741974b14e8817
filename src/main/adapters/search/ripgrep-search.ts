import { join } from 'node:path'
import {
  type FileScan,
  type GrepFile,
  type GrepQuery,
  type OverlayText,
  type Search,
  SearchError,
  type SearchScope,
} from '#core/ports/search.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createContentScan } from './content-scan.ts'
import { findFiles } from './find-files.ts'
import { findPaths } from './find-paths.ts'
import { collectGrep } from './grep-results.ts'
import { listWithEngine } from './index/list-with-engine.ts'
import type { SearchIndex } from './index/search-index.ts'
import { createMirrorPool } from './mirror-pool.ts'
import { underGlob } from './narrowed-passes.ts'
import { createOverlaySignatures } from './overlay-signatures.ts'
import { runRipgrep } from './ripgrep-process.ts'
import { openSearchRoot } from './search-folder.ts'
import { ignoreArgs, runPasses } from './search-passes.ts'

export interface RipgrepSearchOptions {
  /** Null for a scratch workspace, which has no base. */
  readonly rootFolder: string | null
  /** Inside the data folder. Holds the overlay's files until the search is disposed. */
  readonly temporaryFolder: string
  /** A folder inside the project that is not part of it. Searches skip it. */
  readonly hidden?: VirtualPath | null
  /** Says where matches can be, in a large project. */
  readonly index?: SearchIndex
  /** Throws when the root folder was moved away or replaced. Called before and after each search. */
  readonly requireSame?: () => void
}

const newline = 0x0a
/** The engine reads only `.gitignore` files by itself, and no engine-specific ones. `ScopeRules` knows git's others. */
const commonArgs = ['--no-config', '--hidden', '--no-ignore-global', '--no-ignore-exclude', '--no-ignore-dot']
const skipGit = ['--iglob', '!.git']
const searchesVisible = { ignoreNothing: false, overlayDecides: false }

export function createRipgrepSearch({
  rootFolder,
  temporaryFolder,
  hidden = null,
  index,
  requireSame = () => {},
}: RipgrepSearchOptions): Search & FileScan & Disposable {
  const root = rootFolder === null ? null : openSearchRoot(rootFolder)
  const mirrors = createMirrorPool(join(temporaryFolder, 'search'))
  const within = (scope: SearchScope): SearchScope =>
    hidden === null ? scope : { ...scope, hidden: [...scope.hidden, hidden] }
  const everything = { path: rootPath, hidden: [], overlay: [], includeIgnored: true }
  const listFiles = () => findFiles(root, [], within(everything), new AbortController().signal)
  const signatures = createOverlaySignatures()
  if (index && root) {
    const args = [...commonArgs, ...skipGit, ...ignoreArgs(root.repository === null, searchesVisible)]
    index.listWithEngine = (foreign) => listWithEngine(root, args, hidden === null ? foreign : [...foreign, hidden])
  }
  const scan = root && createContentScan({ root, listFiles })
  return {
    async grep(query, scope, signal) {
      refuseArguments(query)
      requireSame()
      const files: GrepFile[] = []
      let binarySkipped = 0
      let unreadable = 0
      let truncated = false
      const { mostKeptBytes = 0 } = query
      let keptBytes = 0
      const cut: true[] = []
      const onCutRules = () => void cut.push(true)
      const started = performance.now()
      let isNarrow = false
      const narrow = async (path: VirtualPath) => {
        const known = index ? await index.candidates(query, path) : null
        const candidates = known && underGlob(known, query.glob)
        isNarrow = candidates !== null
        return candidates
      }
      const keepPossible = (overlay: readonly OverlayText[]) => signatures.keepPossible(overlay, query, signal)
      const options = { root, mirrors, signal, glob: query.glob, narrow, keepPossible }
      await runPasses(options, { ...within(scope), onCutRules }, async (pass) => {
        const found = collectGrep(pass, (bytes) => {
          keptBytes += bytes
          return keptBytes <= mostKeptBytes
        })
        const args = [
          ...commonArgs,
          ...pass.args,
          ...grepArgs(query),
          ...skipGit,
          '-e',
          query.pattern,
          '--',
          ...pass.targets,
        ]
        const run = await runRipgrep(args, pass.cwd, newline, found.accept, signal)
        throwErrorIn(run.errors, query.pattern)
        if (run.isBroken) return false
        files.push(...found.files)
        binarySkipped += found.binarySkipped()
        unreadable += unreadableIn(run.errors)
        truncated ||= run.truncated || pass.isPartial === true
        return true
      })
      requireSame()
      if (!isNarrow) index?.took(performance.now() - started)
      return {
        files: files.sort((a, b) => byCodeUnit(a.path, b.path)),
        binarySkipped,
        unreadable,
        truncated,
        ...(cut.length > 0 && { rulesCut: true }),
      }
    },
    async files(globs, scope, signal) {
      requireSame()
      const found = await findFiles(root, globs, within(scope), signal)
      requireSame()
      return found
    },
    async find(text, limit, scope, signal) {
      requireSame()
      const found = await findPaths(root, index, text, limit, within(scope), signal)
      requireSame()
      return found
    },
    async scan(query) {
      requireSame()
      const outcome = (await scan?.(query)) ?? { all: [], found: [], unsearched: [] }
      requireSame()
      return outcome
    },
    [Symbol.dispose]: () => mirrors[Symbol.dispose](),
  }
}

function grepArgs(query: GrepQuery): readonly string[] {
  return [
    '--json',
    '--binary',
    ...(query.context > 0 ? ['--context', String(query.context)] : []),
    query.caseInsensitive ? '--ignore-case' : '--case-sensitive',
    ...(query.literal ? ['--fixed-strings'] : []),
    ...(query.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(query.glob === undefined ? [] : ['-g', query.glob]),
  ]
}

function throwErrorIn(errors: string, pattern: string): void {
  const error = searchErrorIn(errors, pattern)
  if (error) throw error
}

/** ripgrep wraps the pattern in `(?:` and `)` and indents it by four, which shifts the position it points at. */
const pointerOffset = '    (?:'.length

/** Arguments cannot contain a NUL, and Linux does not allow much more than this. */
const longestArgument = 100_000

/** Throws `SearchError` for arguments that cannot be passed to the engine. */
function refuseArguments({ pattern, glob = '' }: Pick<GrepQuery, 'pattern' | 'glob'>): void {
  if (isUnusable(pattern))
    throw new SearchError('bad_pattern', 'The pattern is too long or holds a NUL. Shorten it, or write \\x00 for NUL.')
  if (isUnusable(glob)) throw new SearchError('bad_glob', 'The glob is too long or holds a NUL.')
}

function isUnusable(argument: string): boolean {
  return argument.includes('\0') || Buffer.byteLength(argument) > longestArgument
}

/** The error in ripgrep's output. Undefined when it only complains about single files it could not read. */
function searchErrorIn(errors: string, pattern: string): SearchError | undefined {
  const glob = /error parsing glob '(.*)': (.*)/.exec(errors)
  if (glob) return new SearchError('bad_glob', `The glob "${glob[1]}" is not valid: ${glob[2]}.`)
  if (/regex parse error|regex could not be compiled|is not allowed in a regex|compiled regex exceeds/i.test(errors)) {
    return badPattern(errors, pattern)
  }
  return undefined
}

/** Counts the files and folders that ripgrep could not read. Vanished files do not count. */
function unreadableIn(errors: string): number {
  return errors.match(/^rg: .*\(os error (?!2\))\d+\)$/gm)?.length ?? 0
}

function badPattern(errors: string, pattern: string): SearchError {
  const pointer = errors.split('\n').find((line) => /^\s*\^+\s*$/.test(line))
  const column = pointer ? pointer.indexOf('^') - pointerOffset : 0
  const position = (column < 0 ? unclosedGroup(pattern) : column) + 1
  const reason = /^error: (.*)$/m.exec(errors)?.[1] ?? errors.replace(/^rg: /, '').split('\n')[0] ?? ''
  const shown = JSON.stringify(pattern)
  return new SearchError(
    'bad_pattern',
    `The pattern ${shown} is not a valid regular expression at character ${position}: ${reason}. ` +
      'Correct it, or search for it literally.',
  )
}

/**
 * The wrapper's own parenthesis closes the innermost open group, so ripgrep points at the wrapper instead of that
 * group.
 */
function unclosedGroup(pattern: string): number {
  const open: number[] = []
  for (const { 0: token, index } of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]/gs)) {
    if (token === '(') open.push(index)
    if (token === ')') open.pop()
  }
  return open.at(-1) ?? 0
}
