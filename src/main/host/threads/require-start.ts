import { WireError } from '#shared/contract/wire-errors.ts'
import type { Project } from '../project/project.ts'

/** Throws `BAD_REQUEST` while an approval setting or a limit of the settings could not hold. */
export async function requireStart(project: Project, model: string): Promise<void> {
  const problems = await project.runtime.findStartProblems(model)
  if (problems.length > 0)
    throw new WireError('BAD_REQUEST', `No agent starts before this is corrected. ${problems.join(' ')}`)
}
