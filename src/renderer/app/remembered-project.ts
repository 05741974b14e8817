import type { ProjectInfo } from '#shared/contract/views.ts'
import type { ProjectSource } from '../state/session.ts'

const key = 'coppice-project'

/** What this tab had open, so that a reload leads back to it. A scratch workspace is reached by its path as well. */
export function rememberProject(storage: Storage, project: ProjectInfo): void {
  storage.setItem(key, JSON.stringify({ kind: project.kind, path: project.path }))
}

export function forgetProject(storage: Storage): void {
  storage.removeItem(key)
}

export function rememberedProject(storage: Storage): ProjectSource | null {
  const saved = storage.getItem(key)
  if (saved === null) return null
  const { kind, path } = JSON.parse(saved) as { kind: ProjectInfo['kind']; path: string }
  return kind === 'folder' ? { kind, path } : { kind }
}
