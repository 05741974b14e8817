import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createOverlayTree, walk } from '#overlay'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { openDeliveryWorld } from '../delivery/delivery-world.testkit.ts'
import type { CheckoutRequest } from './make-checkout.ts'

const never = new AbortController().signal

/** A project whose branch a person checks out. The script makes the files of the folder, with git or without. */
export async function openCheckoutWorld(script: string, at = '.') {
  const world = await openDeliveryWorld(script, at)
  const { project, branchId, above, head } = world
  const files = () => createOverlayTree({ ...project.services, tree: head() })
  const named = (checkoutId: string) => ({ branchId, checkoutId })
  return {
    ...world,
    place: (name: string) => join(above, name),
    make: (name: string, options: Partial<CheckoutRequest> = {}) =>
      project.checkouts.make({ branchId, folder: join(above, name), gitBranch: null, ...options }, never),
    open: () => project.checkouts.open(branchId, never),
    takeBack: (checkoutId: string, choices: Parameters<typeof project.checkouts.takeBack>[0]['choices'] = []) =>
      project.checkouts.takeBack({ ...named(checkoutId), choices }),
    /** Resolves when both sides have what was saved until now. */
    settle: () => project.checkouts.settle(),
    close: (checkoutId: string, loses = false) => project.checkouts.close({ ...named(checkoutId), choices: [], loses }),
    /** What the branch has at a path. Null for nothing. */
    async text(path: string): Promise<string | null> {
      if (!(await files().stat(path as VirtualPath))) return null
      return new TextDecoder().decode(await files().read(path as VirtualPath))
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
