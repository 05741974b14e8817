import { type ExtensionSource, type Extensions, noExtensions } from '#core/agent/extensions.ts'
import type { BaseTree } from '#core/ports/base-tree.ts'
import { readInstructions } from './instructions.ts'

/** What the project and the user add to the agents; of the project's nothing before it is trusted. */
export function createExtensionSource(base: BaseTree, trusted: () => boolean): ExtensionSource {
  let loaded: Extensions = noExtensions
  return {
    current: () => loaded,
    async refresh() {
      loaded = { ...noExtensions, instructions: trusted() ? await readInstructions(base) : [] }
      return loaded
    },
  }
}
