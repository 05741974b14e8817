import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { call } from '@orpc/server'
import type { ImportItem } from '#shared/contract/views/imports.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

/** Contents by path below a folder. */
export type Files = Readonly<Record<string, string | object>>

/** A reference to a variable. */
export function ref(name: string): string {
  return `\${${name}}`
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
}

/** Every file below a folder with its content. */
export function readFiles(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const found = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return [path.slice(folder.length + 1), readFileSync(path, 'utf8')] as const
  })
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** A person with a home, a folder and Coppice, in temporary folders. */
export interface ImportWorld extends AsyncDisposable {
  readonly root: string
  readonly home: string
  readonly folder: string
  readonly data: string
  readonly host: Host
  readonly project: Project
  find(): ReturnType<typeof find>
  /** Takes the items with these ids. */
  take(...ids: readonly string[]): Promise<{ readonly id: string; readonly written: readonly string[] }>
  undo(): Promise<{ readonly restored: readonly string[]; readonly kept: readonly string[] }>
  /** The item with an id, which is there. */
  item(id: string): Promise<ImportItem>
  /** The files of the person here that an import may change. */
  own(): Readonly<Record<string, string>>
}

/** `home`: its files, which may depend on where the folder is. */
export async function openImportWorld(
  home: Files | ((folder: string) => Files),
  {
    folder = {},
    data = {},
    trusts = true,
    environment = () => ({}),
  }: {
    readonly folder?: Files
    readonly data?: Files
    readonly trusts?: boolean
    readonly environment?: (root: string) => Readonly<Record<string, string>>
  } = {},
): Promise<ImportWorld> {
  const root = mkdtempSync(join(tmpdir(), 'coppice-imports-'))
  const place = { home: join(root, 'home'), folder: join(root, 'home', 'app'), data: join(root, 'data') }
  for (const one of Object.values(place)) mkdirSync(one, { recursive: true })
  writeFiles(place.home, typeof home === 'function' ? home(place.folder) : home)
  writeFiles(place.folder, folder)
  writeFiles(place.data, data)
  const host = await openTestHost(place.data, undefined, { HOME: place.home, ...environment(root) })
  const project = await host.projects.open(place.folder)
  host.projects.setTrusted(project.info().id, trusts)
  const projectId = project.info().id
  const list = () => find(host, projectId)
  return {
    ...place,
    ...{ root, host, project, find: list },
    async take(...ids) {
      const { fingerprint } = await list()
      return call(host.router.imports.take, { projectId, ids: [...ids], fingerprint }, { context: {} })
    },
    async undo() {
      const { undo } = await list()
      return call(host.router.imports.undo, { projectId, id: undo?.id ?? '' }, { context: {} })
    },
    async item(id) {
      const { items } = await list()
      const found = items.find((one) => one.id === id)
      if (!found) throw new Error(`There is no ${id} among ${items.map((one) => one.id).join(', ')}`)
      return found
    },
    own() {
      const isOwn = ([path]: readonly [string, string]) =>
        /^(?:settings\.json|AGENTS\.md|commands\/|skills\/)/.test(path)
      return Object.fromEntries(Object.entries(readFiles(place.data)).filter(isOwn))
    },
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function find(host: Host, projectId: ReturnType<Project['info']>['id']) {
  return call(host.router.imports.find, { projectId }, { context: {} })
}
