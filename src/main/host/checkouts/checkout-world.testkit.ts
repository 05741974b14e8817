import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readBranch } from '#core/journal/read-thread.ts'
import { createOverlayTree, emptyTree, walk } from '#overlay'
import type { BranchId } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { openDeliveryWorld } from '../delivery/delivery-world.testkit.ts'
import type { CheckoutRequest } from './make-checkout.ts'

const never = new AbortController().signal

/** A project whose branch a person checks out. The script makes the files of the folder, with git or without. */
export async function openCheckoutWorld(script: string, at = '.') {
  const world = await openDeliveryWorld(script, at)
  const { project, branchId, above, head } = world
  const { log } = project.services
  const headOf = (id: BranchId) => (id === branchId ? head() : (log.trees.heads.get(id) ?? emptyTree))
  const files = (id = branchId) => createOverlayTree({ ...project.services, tree: headOf(id) })
  const named = (checkoutId: string, id = branchId) => ({ branchId: id, checkoutId })
  const threadOf = (id: BranchId) => {
    const threadId = readBranch(log, id)?.threadId
    if (!threadId) throw new Error('There is no such branch.')
    return threadId
  }
  return {
    ...world,
    place: (name: string) => join(above, name),
    make: (name: string, options: Partial<CheckoutRequest> = {}) =>
      project.checkouts.make({ branchId, folder: join(above, name), gitBranch: null, ...options }, never),
    open: (id = branchId) => project.checkouts.open(id, never),
    /** Another branch of the same thread, below its workspace. */
    fork(): BranchId {
      const id = 'forked' as BranchId
      const threadId = threadOf(branchId)
      const about = { parentId: branchId, ownerThreadId: threadId, handle: null, name: 'forked' }
      appendTo(log, [{ type: 'branch.forked', threadId, branchId: id, ...about }])
      return id
    },
    discard: (id: BranchId) =>
      appendTo(log, [
        { type: 'branch.discarded', threadId: threadOf(id), branchId: id, patch: [], whole: true, by: 'person' },
      ]),
    restore: (id: BranchId) =>
      appendTo(log, [{ type: 'branch.restored', threadId: threadOf(id), branchId: id, patch: [] }]),
    takeBack: (checkoutId: string, choices: Parameters<typeof project.checkouts.takeBack>[0]['choices'] = []) =>
      project.checkouts.takeBack({ ...named(checkoutId), choices }),
    /** Resolves when both sides have what was saved until now. */
    settle: () => project.checkouts.settle(),
    close: (checkoutId: string, loses = false, id = branchId) =>
      project.checkouts.close({ ...named(checkoutId, id), choices: [], loses }),
    /** What the branch has at a path. Null for nothing. */
    async text(path: string, id = branchId): Promise<string | null> {
      if (!(await files(id).stat(path as VirtualPath))) return null
      return new TextDecoder().decode(await files(id).read(path as VirtualPath))
    },
    paths: async () =>
      (await walk(files(), rootPath)).entries.map(({ path }) => path).filter((path) => !/\/\.git(\/|$)/.test(path)),
  }
}

/** Writes into a folder as an editor does. Null removes. */
export function save(folder: string, texts: Readonly<Record<string, string | null>>): void {
  for (const [path, text] of Object.entries(texts)) {
    const place = join(folder, path)
    mkdirSync(dirname(place), { recursive: true })
    if (text === null) rmSync(place, { recursive: true })
    else writeFileSync(place, text)
  }
}

/** Null for nothing. */
export function textAt(folder: string, path: string): string | null {
  const place = join(folder, path)
  return existsSync(place) ? readFileSync(place, 'utf8') : null
}
