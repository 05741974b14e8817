import * as z from 'zod/mini'
import type { BranchId, ProjectId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { ProjectSource } from '../session/session.ts'
import type { UiState } from '../store/ui-state.ts'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from './saved.ts'

const projectKey = 'coppice-project'

/** Saves which project this tab or window has open, so that a reload opens it again. */
export function rememberProject(storage: SavedStorage, id: ProjectId): void {
  storage.setItem(projectKey, id)
}

export function forgetProject(storage: SavedStorage): void {
  storage.removeItem(projectKey)
}

/** The project this tab or window had open; null for none. */
export function readProject(storage: SavedStorage): ProjectSource | null {
  const projectId = storage.getItem(projectKey)
  return projectId === null ? null : { kind: 'known', projectId: projectId as ProjectId }
}

const keptFields = ['thread', 'tab', 'openFiles', 'threadFiles', 'branch', 'reviewedFile', 'batch', 'history'] as const
type KeptState = Partial<Pick<UiState, (typeof keptFields)[number]>>

const idOf = <Id extends string>() => z.custom<Id>((value) => typeof value === 'string' && value !== '')
const path = z.custom<VirtualPath>((value) => typeof value === 'string' && value.startsWith('/'))

const format: SavedFormat<KeptState> = {
  name: 'the open tabs of a project',
  version: 1,
  schema: z.partial(
    z.object({
      thread: z.union([
        z.object({ kind: z.literal('auto') }),
        z.object({ kind: z.literal('new') }),
        z.object({ kind: z.literal('thread'), id: idOf<ThreadId>() }),
      ]),
      tab: z.union([z.enum(['chat', 'changes', 'branches', 'board', 'batch', 'history']), z.object({ file: path })]),
      openFiles: z.array(path),
      threadFiles: z.record(z.string(), z.array(path)),
      branch: z.nullable(idOf<BranchId>()),
      reviewedFile: z.nullable(z.object({ branchId: idOf<BranchId>(), path })),
      batch: z.nullable(z.object({ threadId: idOf<ThreadId>(), callId: idOf<ToolCallId>() })),
      history: z.boolean(),
    }),
  ) as z.ZodMiniType<KeptState>,
}

/** Saves what a person is looking at in a project, so that a reload shows it again. */
export function saveUiState(storage: SavedStorage, id: ProjectId, ui: UiState): void {
  const { thread, tab, openFiles, threadFiles, branch, reviewedFile, batch, history } = ui
  writeSaved(storage, keyOf(id), format, {
    thread,
    tab,
    openFiles,
    threadFiles,
    branch,
    reviewedFile,
    batch,
    history,
  })
}

/** Adds what a person was looking at before a reload. Returns `ui` unchanged if nothing readable was saved. */
export function restoreUiState(storage: SavedStorage, id: ProjectId, ui: UiState): UiState {
  const saved = readSaved(storage, keyOf(id), format)
  return saved.state === 'read' ? { ...ui, ...saved.value } : ui
}

function keyOf(id: ProjectId): string {
  return `coppice-view ${id}`
}

/** The sizes of panels, as the splitter library writes them. That format has no version. */
const layoutFormat: SavedFormat<Readonly<Record<string, unknown>>> = {
  name: 'the sizes of the panels',
  version: 1,
  schema: z.record(z.string(), z.unknown()),
}

/**
 * A storage for the splitter library that never returns damaged text, because the library would throw an error on it.
 */
export function createLayoutStorage(storage: SavedStorage): Pick<Storage, 'getItem' | 'setItem'> {
  return {
    getItem: (key) => (readSaved(storage, key, layoutFormat).state === 'read' ? storage.getItem(key) : null),
    setItem: (key, value) => {
      try {
        storage.setItem(key, value)
      } catch (error) {
        console.warn(`Coppice could not save ${layoutFormat.name}.`, error)
      }
    },
  }
}
