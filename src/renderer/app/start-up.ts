import { refusalOf } from '../state/refusal.ts'
import type { ProjectSource, Session } from '../state/session.ts'
import { forgetProject, rememberedProject, rememberProject } from './remembered-project.ts'

/**
 * Asks the host who it is, then opens the folder of the command line, or after a reload what was open before. A folder
 * that cannot be opened any more leads Home, where the reason is shown when it is tried again.
 */
export async function startUp(session: Session): Promise<void> {
  await session.refreshInfo()
  const source = firstProject(session)
  session.store.subscribe(({ project }, before) => {
    if (project === before.project) return
    if (project) rememberProject(sessionStorage, project.id)
    else forgetProject(sessionStorage)
  })
  if (!source) return
  try {
    await session.openProject(source)
  } catch (error) {
    session.store.setState({ startProblem: refusalOf(error) })
  }
}

function firstProject(session: Session): ProjectSource | null {
  const remembered = rememberedProject(sessionStorage)
  const folder = session.store.getState().info?.initialFolder
  return remembered ?? (folder ? { kind: 'folder', path: folder } : null)
}
