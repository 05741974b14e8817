import { kindOf, type LeafChange, leafChanges, type Tree } from '#overlay'
import type { EffectKind, FileEffect } from '../../approval/effects.ts'
import type { AgentServices } from '../types/services.ts'

/** What happened to files from one tree of the project to another. */
export async function effectsBetween(
  { base }: Pick<AgentServices, 'base'>,
  before: Tree,
  after: Tree,
): Promise<readonly FileEffect[]> {
  return effectsOf(await leafChanges(base, before, after))
}

/** The effects of changes between two trees. A move over a file that exists also modifies that file. */
function effectsOf(changes: readonly LeafChange[]): readonly FileEffect[] {
  const moved = new Set(changes.flatMap(({ renamedFrom }) => renamedFrom ?? []))
  return changes.flatMap((change): readonly FileEffect[] => {
    const { path, before } = change
    if (moved.has(path) && !change.after) return [{ kind: 'move', path }]
    if (!change.renamedFrom) return [{ kind: ownKind(change), path }]
    return [{ kind: 'move', path }, ...(before ? [{ kind: 'modify', path } as const] : [])]
  })
}

function ownKind(change: LeafChange): EffectKind {
  const kind = kindOf(change)
  if (kind === 'delete' || kind === 'create') return kind
  return change.before ? 'modify' : 'create'
}
