import type { ProjectInfo } from '#shared/contract/views.ts'
import { refusalOf } from '../connection/refusal.ts'
import { forgetProject, readProject, rememberProject, restoreView, saveView } from '../preferences/saved-window.ts'
import type { ProjectSource, Session } from './session.ts'

/**
 * Asks the host who it is, then opens the folder of the command line, or after a reload what was open before. A folder
 * that cannot be opened any more leads Home, where the reason is shown when it is tried again.
 */
export async function startUp(session: Session): Promise<void> {
  await session.refreshInfo()
  const source = firstProject(session)
  session.store.subscribe(({ project, view }, before) => {
    if (project?.id !== before.project?.id) remember(session, project)
    else if (project && view !== before.view) saveView(sessionStorage, project.id, view)
  })
  if (!source) return
  try {
    await session.openProject(source)
  } catch (error) {
    session.store.setState({ startProblem: refusalOf(error) })
  }
}

function firstProject(session: Session): ProjectSource | null {
  const remembered = readProject(sessionStorage)
  const folder = session.store.getState().info?.initialFolder
  return remembered ?? (folder ? { kind: 'folder', path: folder } : null)
}

function remember(session: Session, project: ProjectInfo | null): void {
  forgetProject(sessionStorage)
  if (!project) return
  rememberProject(sessionStorage, project.id)
  session.updateView((view) => restoreView(sessionStorage, project.id, view))
}
