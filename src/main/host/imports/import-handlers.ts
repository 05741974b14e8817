import type { ProjectId } from '#shared/model/ids.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { findImports } from './find.ts'
import { takeImports } from './take.ts'
import { undoImport } from './undo.ts'

/** Taking over what other tools for agents define. */
export function importHandlers(os: Implementer, parts: HostParts) {
  const projectOf = (id: ProjectId | null) => (id === null ? null : parts.projects.get(id))
  return {
    find: os.imports.find.handler(async ({ input }) => (await findImports(parts, projectOf(input.projectId))).list),
    take: os.imports.take.handler(({ input: { projectId, ...chosen } }) =>
      takeImports(parts, projectOf(projectId), chosen),
    ),
    undo: os.imports.undo.handler(({ input: { projectId, id } }) => undoImport(parts, projectOf(projectId), id)),
  }
}
