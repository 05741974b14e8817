import { type BaseFixture, createOverlayTransaction, emptyTree } from '#overlay'
import { openWorld } from '#overlay/testkit'
import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import { noRules } from '../../approval/rules.ts'
import { createMemorySearch } from '../../ports/search.testkit.ts'
import { createMemoryScratchStore } from '../../ports/stores/scratch-store.testkit.ts'
import { type CompositeFiles, createToolFiles } from './composite-files.ts'
import { choosePrefixes } from './prefixes.ts'
import { type ChosenRoutes, chooseRoutes, type WantedRoute } from './routes.ts'

export interface RoutedWorld extends ChosenRoutes {
  /** The files of a new call over the project. Without `approved`, real folders cannot be changed. */
  begin(approved?: (path: VirtualPath) => boolean): CompositeFiles
}

/** A project in memory with these routes. */
export async function openRouted(
  wanted: readonly WantedRoute[],
  fixtures: Readonly<Record<string, BaseFixture>> = {},
): Promise<RoutedWorld> {
  const world = openWorld(fixtures)
  const chosen = await chooseRoutes(await choosePrefixes(world.base), wanted, { base: world.base, trees: [] })
  const scratch = createMemoryScratchStore(() => 1_700_000_000_000)
  return {
    ...chosen,
    begin: (mayWriteOutside) =>
      createToolFiles({
        transaction: createOverlayTransaction({ ...world, tree: emptyTree }),
        search: createMemorySearch(world.base),
        memory: null,
        scratch,
        rootThreadId: 'thread' as ThreadId,
        blobs: world.blobs,
        hashing: world.hashing,
        routes: chosen.routes,
        access: fileAccess({ interruptOn: new Map(), rules: noRules, sandboxed: true }),
        mayWriteOutside,
      }),
  }
}
