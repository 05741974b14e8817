import { WireError } from '#shared/contract/wire-errors.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Host } from './create-host.ts'
import type { Project } from './project.ts'
import { placeOfThread } from './stored-threads.ts'
import { requireStanding } from './thread-list.ts'

/** Opens the project of a thread that is named by its id alone. */
export async function findThread(
  host: Host,
  id: string,
): Promise<{ readonly project: Project; readonly thread: ThreadState }> {
  const place = placeOfThread(host.options.dataFolder, id)
  if (!place) throw new WireError('NOT_FOUND', `There is no thread ${id}. "coppice threads" lists them.`)
  const project = await host.projects.openStored(place)
  const thread = project.services.log.state.threads.get(id as ThreadId)
  if (!thread) throw new WireError('NOT_FOUND', `There is no thread ${id}. "coppice threads" lists them.`)
  return { project, thread: requireStanding(project.services, thread.id) }
}
