import { join } from 'node:path'
import type { Host } from '../../../src/main/host/wiring/create-host.ts'
import { makeTree, temporaryFolder } from './folders.ts'
import { openLocalHost } from './local-host.ts'
import { startWorkspace, type Workspace } from './workspace.ts'

export interface ProjectSize {
  readonly files: number
  readonly bytesEach: number
}

/** A generated project, opened in a host inside this process. Disposing it removes everything. */
export interface GeneratedProject extends ProjectSize, AsyncDisposable {
  /** A folder for other files of a measurement, on the same disk. */
  readonly folder: string
  /** The project's own folder. */
  readonly tree: string
  readonly host: Host
  readonly workspace: Workspace
}

export async function generateProject({ files, bytesEach }: ProjectSize): Promise<GeneratedProject> {
  await using cleanup = new AsyncDisposableStack()
  const { path: folder } = cleanup.use(temporaryFolder())
  const tree = join(folder, 'tree')
  makeTree(tree, files, bytesEach)
  const host = cleanup.use(await openLocalHost(join(folder, 'data')))
  const workspace = startWorkspace(await host.projects.open(tree))
  const owned = cleanup.move()
  return { files, bytesEach, folder, tree, host, workspace, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
