import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** What happens to a file. `modify` includes changes of its mode. */
export type EffectKind = 'create' | 'modify' | 'delete' | 'move'

export const effectKinds: readonly EffectKind[] = ['create', 'modify', 'delete', 'move']

/** One file that a call changes. A move has one effect for each of its two paths. */
export interface FileEffect {
  readonly kind: EffectKind
  readonly path: VirtualPath
}
