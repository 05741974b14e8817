import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'
import type { SearchScope } from '#core/ports/search.ts'
import { isWithin, joinPath, nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { mirrorOverlay } from './overlay-mirror.ts'
import { createScopeRules, isGitPath, type ScopeRules } from './scope-rules.ts'
import { openSearchPlace, type SearchPlace, type SearchRoot } from './search-folder.ts'

/** One run of the engine: over the base, or over the overlay's files written out. */
export interface SearchPass {
  readonly cwd: string
  readonly target: string
  readonly args: readonly string[]
  /** The virtual path of a name the engine reports; nothing when it is not part of the result. */
  translate(name: Uint8Array | string): VirtualPath | undefined
}

export interface PassOptions {
  readonly root: SearchRoot | null
  readonly temporaryFolder: string
  /** A glob that takes files in also takes in ignored ones: they are dropped again here. */
  readonly globbed: boolean
  readonly withContent: boolean
}

/** Runs base and overlay at the same time. At least one pass is made, so that a bad pattern is always noticed. */
export async function runPasses(
  options: PassOptions,
  scope: SearchScope,
  run: (pass: SearchPass) => Promise<void>,
): Promise<void> {
  const rules = createScopeRules(options.root, scope)
  using place = openBase(options.root, scope, rules)
  const overlay = scope.overlay.filter(
    ({ path }) => isWithin(path, scope.path) && !isGitPath(path) && !rules.isIgnored(path),
  )
  const passes: SearchPass[] = place && options.root ? [basePass(options, options.root, place, scope, rules)] : []
  if (overlay.length === 0 && passes.length > 0) return settle(passes, run)
  await using mirror = await mirrorOverlay(options.temporaryFolder, overlay, options.withContent)
  const isFile = overlay.some(({ path }) => path === scope.path)
  const base = isFile ? parentOf(scope.path) : overlay.length > 0 ? scope.path : ('/' as VirtualPath)
  passes.push({
    cwd: join(mirror.folder, base),
    target: isFile ? `./${nameOf(scope.path)}` : './',
    args: ['--no-ignore'],
    translate: (name) => virtualPath(base, name),
  })
  await settle(passes, run)
}

/** Waits for both, so that nothing is cleaned up under a running engine, then reports the first failure. */
async function settle(passes: readonly SearchPass[], run: (pass: SearchPass) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(passes.map(run))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

function openBase(root: SearchRoot | null, scope: SearchScope, rules: ScopeRules): SearchPlace | undefined {
  if (!root || isGitPath(scope.path) || rules.isHidden(scope.path)) return undefined
  return openSearchPlace(root, scope.path)
}

function basePass(
  options: PassOptions,
  root: SearchRoot,
  place: SearchPlace,
  scope: SearchScope,
  rules: ScopeRules,
): SearchPass {
  const outsideRepository = root.repository === null
  const checkIgnored = options.globbed || rules.overlayDecides || (outsideRepository && scope.path !== '/')
  return {
    cwd: place.cwd,
    target: place.target,
    args: ignoreArgs(outsideRepository, rules),
    translate(name) {
      const path = virtualPath(place.base, name)
      if (path === undefined || rules.isHidden(path)) return undefined
      return checkIgnored && rules.isIgnored(path) ? undefined : path
    },
  }
}

function ignoreArgs(outsideRepository: boolean, rules: ScopeRules): readonly string[] {
  if (rules.ignoreNothing || rules.overlayDecides) return ['--no-ignore']
  return outsideRepository ? ['--no-require-git', '--no-ignore-parent'] : []
}

/** Names that are not UTF-8 are never carried. */
function virtualPath(base: VirtualPath, name: Uint8Array | string): VirtualPath | undefined {
  if (typeof name !== 'string' && !isUtf8(name)) return undefined
  const text = (typeof name === 'string' ? name : Buffer.from(name).toString()).replace(/^\.[\\/]/, '')
  return joinPath(base, process.platform === 'win32' ? text.replaceAll('\\', '/') : text)
}
