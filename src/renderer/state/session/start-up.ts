import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import { refusalOf } from '../connection/refusal.ts'
import {
  forgetProject,
  readProject,
  rememberProject,
  restoreUiState,
  saveUiState,
} from '../preferences/saved-window.ts'
import { followRewrites, readTyping, saveTyping } from '../preferences/typing.ts'
import { changeEdit } from '../store/edits.ts'
import type { ProjectSource, RestoreProject, Session } from './session.ts'

/**
 * Loads the host's description of itself. Then opens the project from before a reload, or the folder of the command
 * line. If that fails, Home shows why. Home is not shown before, because it would vanish under a click. `onAsked` is
 * called once the host is asked for all that the first picture shows.
 */
export async function startUp(session: Session, onAsked: () => void = () => undefined): Promise<void> {
  await describeHost(session)
  const source = firstProject(session)
  let unfollow = (): void => undefined
  let isHeard = false
  const follow = (id: ProjectInfo['id']): (() => void) =>
    followRewrites(window, id, (key, rewrite) => {
      // Only the window where a text was typed saves it. Two that answer each other would never end.
      isHeard = true
      session.store.setState(({ rewrites }) => ({ rewrites: changeEdit(rewrites, key, rewrite) }))
      isHeard = false
    })
  session.store.subscribe((state, before) => {
    const { projectInfo, ui } = state
    if (projectInfo?.id !== before.projectInfo?.id) {
      unfollow()
      unfollow = projectInfo ? follow(projectInfo.id) : () => undefined
      return remember(projectInfo)
    }
    if (!projectInfo || isHeard) return
    if (ui !== before.ui) saveUiState(sessionStorage, projectInfo.id, ui)
    saveTyping(localStorage, projectInfo.id, state, before)
  })
  try {
    if (source) await session.openProject(source, onAsked)
    session.store.setState({ starting: false })
  } catch (error) {
    session.store.setState({ starting: false, startProblem: refusalOf(error) })
  }
  onAsked()
}

const retryDelay = 250

/** Asks again when the link breaks before the answer, because nothing can be shown without it. */
async function describeHost({ refreshInfo }: Session): Promise<void> {
  for (;;) {
    try {
      return await refreshInfo()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryDelay))
    }
  }
}

function firstProject(session: Session): ProjectSource | null {
  const remembered = readProject(sessionStorage)
  const folder = session.store.getState().info?.initialFolder
  return remembered ?? (folder ? { kind: 'folder', path: folder } : null)
}

function remember(projectInfo: ProjectInfo | null): void {
  forgetProject(sessionStorage)
  if (!projectInfo) return
  rememberProject(sessionStorage, projectInfo.id)
}

/** What this window kept of a project in the browser's storage. */
export const restoreProject: RestoreProject = (projectId, ui) => ({
  ...readTyping(localStorage, projectId),
  ui: restoreUiState(sessionStorage, projectId, ui),
})
