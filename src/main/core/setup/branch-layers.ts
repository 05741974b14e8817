import type { LayerId } from '#shared/model/ids.ts'
import type { SetupNews } from './setup-words.ts'

/** What a branch has and what the setup offers. All lists begin with the oldest layer. */
export interface LayerChoice {
  /** The environment of the branch as the journal has it. */
  readonly own: readonly LayerId[]
  /** What the setup left. */
  readonly base: readonly LayerId[]
  /** What earlier setups left. */
  readonly earlier: readonly (readonly LayerId[])[]
  /** How many of the branch's own layers can be shown, from the oldest. */
  readonly shown: number
}

/**
 * Chooses the layers of a branch's next command. A branch that has nothing of its own begins with the setup, and follows
 * it when that changes. One with layers of its own keeps them, unless they cannot be shown any more.
 */
export function chooseLayers({ own, base, earlier, shown }: LayerChoice): {
  readonly layers: readonly LayerId[]
  readonly news: SetupNews | null
} {
  if (own.length === 0) return { layers: base, news: 'began' }
  if (beginsWith(own, base) && shown >= base.length) return { layers: own, news: null }
  if (shown === 0) return { layers: base, news: 'lost' }
  if (earlier.some((list) => isSame(list, own))) return { layers: base, news: 'newer' }
  return { layers: own, news: 'kept' }
}

function beginsWith(list: readonly LayerId[], start: readonly LayerId[]): boolean {
  return start.length > 0 && start.every((id, index) => list[index] === id)
}

function isSame(one: readonly LayerId[], other: readonly LayerId[]): boolean {
  return one.length > 0 && one.length === other.length && beginsWith(one, other)
}
