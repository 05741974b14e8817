import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { branchHandlers } from './branch-handlers.ts'
import { compositionHandlers } from './compositions/composition-handlers.ts'

/** What is about branches: each by itself, and several composed into one. */
export function branchAreas(os: Implementer, parts: HostParts) {
  return { branches: branchHandlers(os, parts), compositions: compositionHandlers(os, parts) }
}
