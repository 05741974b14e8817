import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { usageOfProjects } from './project-usage.ts'
import { createUsageReports } from './usage-reports.ts'

export function usageHandlers(os: Implementer, { projects, options }: HostParts) {
  const report = createUsageReports()
  return {
    report: os.usage.report.handler(({ input }) => report(projects.get(input.projectId).services.log, input.starts)),
    projects: os.usage.projects.handler(({ input }) => usageOfProjects(options.dataFolder, input.starts)),
  }
}
