import { type BaseFixture, createOverlayTransaction, emptyTree, type TreeSources } from '#overlay'
import { openWorld } from '#overlay/testkit'
import { fold } from '#shared/model/fold/project.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import { noRules } from '../../approval/rules.ts'
import { driftUnder } from '../../branches/drift.ts'
import { createMemorySearch } from '../../ports/search.testkit.ts'
import type { Search } from '../../ports/search.ts'
import { createMemoryScratchStore } from '../../ports/stores/scratch-store.testkit.ts'
import { createToolFiles } from '../namespace/composite-files.ts'
import { choosePrefixes } from '../namespace/prefixes.ts'
import { builtInRoutes } from '../namespace/routes.ts'
import { fileTools } from './file-tools.ts'

const threadId = 'thread' as ThreadId

/** The file tools over a prepared project, called as by the loop. A failed call leaves nothing. */
export function openFileTools(
  fixtures: Readonly<Record<string, BaseFixture>> = {},
  rules: Partial<PermissionRules> = {},
  remembers = true,
) {
  const world = openWorld(fixtures)
  return openFileToolsOver(world, createMemorySearch(world.base), rules, remembers)
}

/** The same over any base. */
export async function openFileToolsOver<World extends TreeSources>(
  world: World,
  search: Search,
  rules: Partial<PermissionRules> = {},
  remembers = true,
) {
  const access = fileAccess({ interruptOn: new Map(), rules: { ...noRules, ...rules }, sandboxed: true })
  let state = emptyProject
  const scratch = createMemoryScratchStore(() => 1_700_000_000_000)
  const prefixes = await choosePrefixes(world.base)
  const reads = new Map()
  const disk = new Map()
  let tree = emptyTree
  return {
    ...world,
    get memories() {
      return state.memories
    },
    scratch,
    prefixes,
    reads,
    access,
    threadId,
    get tree() {
      return tree
    },
    set tree(next) {
      tree = next
    },
    async call(
      name: string,
      args: Record<string, unknown> = {},
    ): Promise<{ ok: boolean; text: string; images: number }> {
      const tool = fileTools.find((one) => one.name === name)
      if (!tool) throw new Error(`No tool ${name}`)
      const transaction = createOverlayTransaction({ ...world, tree })
      const files = createToolFiles({
        transaction,
        search,
        memory: remembers ? { project: () => state.memories, user: 'There are none here.' } : null,
        scratch,
        rootThreadId: threadId,
        blobs: world.blobs,
        hashing: world.hashing,
        routes: builtInRoutes(prefixes),
        access,
      })
      const parsed = tool.schema.safeParse(args)
      if (!parsed.success)
        return { ok: false, text: parsed.error.issues.map(({ message }) => message).join('; '), images: 0 }
      const context = {
        threadId,
        callId: 'call' as ToolCallId,
        agent: 'main',
        files,
        branch: transaction,
        access,
        reads,
        disk,
        drift: (path: VirtualPath) => driftUnder(world, transaction, path),
        hosts: [],
        signal: new AbortController().signal,
        onOutput: () => undefined,
      }
      const output = await tool.run(parsed.data, context)
      if (output.ok) {
        tree = transaction.tree
        const callId = 'call' as ToolCallId
        for (const body of files.commitStores().entries('main', callId))
          state = fold(state, { ...body, threadId, sequence: state.sequence + 1, at: 1_700_000_000_000 })
        for (const [path, hash] of output.reads ?? []) reads.set(path, hash)
        for (const [path, version] of output.diskVersionsSeen ?? []) disk.set(path, { told: version, read: version })
      }
      const shown = output.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      return { ok: output.ok, text: shown, images: output.content.filter(({ type }) => type === 'image').length }
    },
  }
}
