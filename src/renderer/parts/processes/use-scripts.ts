import type { ProjectScripts } from '#shared/model/setup.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'

/** The commands that the open project names for people, and its ports. Null before the first answer. */
export function useScripts(): Pick<ProjectScripts, 'runs' | 'ports'> | null {
  const project = useApp((state) => state.projectInfo)
  const [scripts] = useQuery('processes.scripts', project && { projectId: project.id }, String(project?.trusted))
  return scripts.value
}
