import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { usageByDay } from '../queries/usage-by-day.ts'

export function usageHandlers(os: Implementer, { projects }: HostParts) {
  return {
    byDay: os.usage.byDay.handler(async ({ input }) =>
      usageByDay(projects.get(input.projectId).services.log, input.starts),
    ),
  }
}
