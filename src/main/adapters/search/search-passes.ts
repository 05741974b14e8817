import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type OverlayText, SearchError, type SearchScope } from '#core/ports/search.ts'
import { isWithin, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { readHeld } from './held-lines.ts'
import type { Candidates } from './index/messages.ts'
import type { MirrorPool } from './mirror-pool.ts'
import { narrowedPasses, type SearchPass } from './narrowed-passes.ts'
import { createScopeRules, isGitPath, type ScopeRules } from './scope-rules.ts'
import { openSearchPlace, type SearchPlace, type SearchRoot } from './search-folder.ts'
import { trackedDespite, trackedPasses, withTracked } from './tracked-scope.ts'

export interface PassOptions {
  readonly root: SearchRoot | null
  readonly mirrors: MirrorPool
  readonly signal: AbortSignal
  /**
   * Limits the search. A glob also makes ripgrep return ignored files, which are dropped here. Undefined for none.
   */
  readonly glob: string | undefined
  /** Where matches can be below a folder of the base. Null when that is not known. */
  readonly narrow: (path: VirtualPath) => Promise<Candidates | null>
  /** The texts of the overlay that may match. */
  readonly keepPossible: (overlay: readonly OverlayText[]) => Promise<readonly OverlayText[]>
}

/** Runs a pass. False when the engine broke down, and nothing of what it found counts. */
export type RunPass = (pass: SearchPass) => Promise<boolean>

/** Searches base and overlay at the same time. Makes at least one pass, so that a bad pattern is always reported. */
export async function runPasses(options: PassOptions, scope: SearchScope, run: RunPass): Promise<void> {
  const { root } = options
  const rules = createScopeRules(root, scope)
  using place = openBase(root, scope, rules)
  const overlay = scope.overlay.filter(({ path }) => isWithin(path, scope.path) && !isGitPath(path))
  let passes = 0
  const count = (pass: SearchPass) => {
    passes += 1
    return run(pass)
  }
  const seen = rules.overlayDecides ? withTracked(rules, root) : rules
  const base = place && root ? searchBase(options, root, place, seen, count) : undefined
  const ignored = place && root ? searchTracked(options, root, place, rules, count) : undefined
  const above = overlay.length > 0 ? searchPossible(options, scope, overlay, count) : undefined
  await settle([base, ignored, above])
  if (passes === 0) await searchOverlay(options, scope, [], run)
  if (rules.isCut()) scope.onCutRules?.()
}

async function searchBase(
  options: PassOptions,
  root: SearchRoot,
  place: SearchPlace,
  rules: ScopeRules,
  run: RunPass,
): Promise<void> {
  const pass = basePass(options, root, place, rules)
  const isFolder = place.target === './'
  const candidates = isFolder && !rules.ignoreNothing && !rules.overlayDecides ? await options.narrow(place.base) : null
  const judged = basePass(options, root, place, { ...rules, overlayDecides: true })
  for (const one of candidates ? narrowedPasses(pass, place.base, candidates) : [pass]) {
    if (await run(one)) continue
    // The engine reads ignore files without an end to their length. Where it broke down, it is not given them again: what
    // it finds is judged by the rules that were read within bounds.
    const args = [...one.args, '--no-ignore', '--no-ignore-files']
    await runWhole({ ...one, args, translate: judged.translate }, run)
  }
}

/** What git tracks although a rule ignores it, unless the search of the base reads ignored files anyway. */
async function searchTracked(
  options: PassOptions,
  root: SearchRoot,
  place: SearchPlace,
  rules: ScopeRules,
  run: RunPass,
): Promise<void> {
  if (rules.ignoreNothing || rules.overlayDecides || place.target !== './') return
  const paths = await trackedDespite(root, rules, place.base, options.signal)
  const pass = basePass(options, root, place, { ...rules, isIgnored: () => false })
  for (const one of trackedPasses(pass, place.base, paths, options.glob)) await runWhole(one, run)
}

async function searchPossible(
  options: PassOptions,
  scope: SearchScope,
  overlay: readonly OverlayText[],
  run: RunPass,
): Promise<void> {
  const possible = await options.keepPossible(overlay)
  if (possible.length > 0) await searchOverlay(options, scope, possible, run)
}

async function searchOverlay(
  { mirrors, signal }: PassOptions,
  scope: SearchScope,
  overlay: readonly OverlayText[],
  run: RunPass,
): Promise<void> {
  using mirror = await mirrors.borrow(overlay, signal)
  const isFile = overlay.some(({ path }) => path === scope.path)
  const base = isFile ? parentOf(scope.path) : overlay.length > 0 ? scope.path : rootPath
  const pass = {
    cwd: join(mirror.folder, base),
    targets: [isFile ? `./${nameOf(scope.path)}` : './'],
    args: ['--no-ignore'],
    translate: (name: string) => virtualPath(base, name),
    confirm: () => ({ bytes: null }),
  }
  await runWhole(pass, run)
}

/**
 * A pass for which the engine reads no ignore files. It keeps a line whole in its memory, and grows that by copying. So where
 * it broke down, it maps files, and then leaves out the large ones.
 */
async function runWhole(pass: SearchPass, run: RunPass): Promise<void> {
  if (await run(pass)) return
  if (await run({ ...pass, args: [...pass.args, '--mmap'] })) return
  const targets = pass.targets.filter((target) => !isLarge(join(pass.cwd, target)))
  const args = [...pass.args, '--max-filesize', String(largeFile)]
  if (targets.length === 0 || !(await run({ ...pass, targets, args, isPartial: true })))
    throw new SearchError('unavailable', tooMuch)
}

const tooMuch =
  'The search needs more memory than it may have. Narrow it with path or glob; read_file with byte_offset reads very long lines.'

/** In bytes. A line of this size fits several times into the memory of the engine. */
const largeFile = 16 * 1024 * 1024

function isLarge(place: string): boolean {
  const stats = statSync(place, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size > largeFile
}

/** Waits for both, so that nothing is cleaned up under a running engine. Then throws the first failure. */
async function settle(passes: readonly (Promise<void> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(passes)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

function openBase(root: SearchRoot | null, scope: SearchScope, rules: ScopeRules): SearchPlace | undefined {
  if (!root || isGitPath(scope.path) || rules.isFolderHidden(scope.path)) return undefined
  return openSearchPlace(root, scope.path)
}

function basePass(options: PassOptions, root: SearchRoot, place: SearchPlace, rules: ScopeRules): SearchPass {
  const outsideRepository = root.repository === null
  const excludes = rules.ignoreNothing || rules.overlayDecides ? [] : rules.excludes
  const checkIgnored =
    options.glob !== undefined || rules.overlayDecides || outsideRepository || rules.excludes.length > 0
  // The engine takes their rules to begin where it starts. Elsewhere what it finds is only left out.
  const atTop = root.folder === root.repository && place.base === rootPath
  return {
    cwd: place.cwd,
    targets: [place.target],
    args: [
      ...ignoreArgs(outsideRepository, rules),
      ...(atTop ? excludes.map(({ file }) => `--ignore-file=${file}`) : []),
    ],
    translate(name) {
      const path = virtualPath(place.base, name)
      if (rules.isHidden(path)) return undefined
      return checkIgnored && rules.isIgnored(path) ? undefined : path
    },
    confirm: (path, found) => readHeld(root, path, found),
  }
}

export function ignoreArgs(
  outsideRepository: boolean,
  rules: Pick<ScopeRules, 'ignoreNothing' | 'overlayDecides'>,
): readonly string[] {
  if (rules.ignoreNothing || rules.overlayDecides) return ['--no-ignore']
  return outsideRepository ? ['--no-require-git', '--no-ignore-parent'] : []
}

function virtualPath(base: VirtualPath, name: string): VirtualPath {
  const text = name.replace(/^\.[\\/]/, '')
  return joinPath(base, process.platform === 'win32' ? text.replaceAll('\\', '/') : text)
}
