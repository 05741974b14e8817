import type { ProjectId } from '#shared/model/ids.ts'
import type { ProjectSource } from '../state/session.ts'

const key = 'coppice-project'

/** What this tab or window had open, so that a reload leads back to it. */
export function rememberProject(storage: Storage, id: ProjectId): void {
  storage.setItem(key, id)
}

export function forgetProject(storage: Storage): void {
  storage.removeItem(key)
}

export function rememberedProject(storage: Storage): ProjectSource | null {
  const projectId = storage.getItem(key)
  return projectId === null ? null : { kind: 'known', projectId: projectId as ProjectId }
}
