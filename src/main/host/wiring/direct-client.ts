import { createRouterClient } from '@orpc/server'
import type { Host } from './create-host.ts'

/** The commands of the contract for a frontend in the same process. They are checked like those of a window. */
export type DirectClient = ReturnType<typeof createDirectClient>

export function createDirectClient({ router }: Pick<Host, 'router'>) {
  return createRouterClient(router, { context: {} })
}
