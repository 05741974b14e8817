/**
 * An immutable map for folds. Setting a key copies only the recently set keys, and versions share the rest. Keys stay
 * in the order of their first insertion. Setting takes about logarithmic time.
 */
export class LayeredMap<Key, Value> implements ReadonlyMap<Key, Value> {
  static readonly #nothing = new LayeredMap<never, never>([], [], 0)

  /** Oldest first. Each is much smaller than the one before it, and its values hide older ones. */
  readonly #layers: readonly ReadonlyMap<Key, Value>[]
  /** The keys set last. Their values hide those in the layers. */
  readonly #recent: RecentPairs<Key, Value>
  readonly size: number

  private constructor(layers: readonly ReadonlyMap<Key, Value>[], recent: RecentPairs<Key, Value>, size: number) {
    this.#layers = layers
    this.#recent = recent
    this.size = size
  }

  static empty<Key, Value>(): LayeredMap<Key, Value> {
    return LayeredMap.#nothing
  }

  static #of<Key, Value>(whole: ReadonlyMap<Key, Value>): LayeredMap<Key, Value> {
    return whole.size === 0 ? LayeredMap.empty() : new LayeredMap([whole], [], whole.size)
  }

  with(key: Key, value: Value): LayeredMap<Key, Value> {
    const size = this.size + (this.has(key) ? 0 : 1)
    const recent = withPair(this.#recent, key, value)
    if (recent.length <= 2 * mostRecent) return new LayeredMap(this.#layers, recent, size)
    let joined = recent.length / 2
    let kept = this.#layers.length
    for (; kept > 0; kept -= 1) {
      const below = this.#layers[kept - 1]?.size ?? 0
      if (below > 2 * joined) break
      joined += below
    }
    const top = mergeLayers(this.#layers.slice(kept), recent)
    return new LayeredMap([...this.#layers.slice(0, kept), top], [], size)
  }

  /** The map with these keys set, in their order. Costs at most a copy of both, and nothing when one of them is empty. */
  withAll(others: Iterable<readonly [Key, Value]>): LayeredMap<Key, Value> {
    if (this.size === 0 && others instanceof LayeredMap) return others
    const added = others instanceof LayeredMap ? others : new Map(others)
    if (added.size === 0) return this
    const whole = mergeLayers(this.#layers, this.#recent)
    for (const [key, value] of added) whole.set(key, value)
    return LayeredMap.#of(whole)
  }

  /** A map without these keys. Copies the whole map. */
  without(keys: ReadonlySet<Key>): LayeredMap<Key, Value> {
    if (keys.size === 0) return this
    return LayeredMap.#of(new Map([...this.entries()].filter(([key]) => !keys.has(key))))
  }

  get(key: Key): Value | undefined {
    const at = indexOfKey(this.#recent, key)
    if (at >= 0) return this.#recent[at + 1] as Value
    for (let layer = this.#layers.length - 1; layer >= 0; layer -= 1) {
      const value = this.#layers[layer]?.get(key)
      if (value !== undefined || this.#layers[layer]?.has(key)) return value
    }
    return undefined
  }

  has(key: Key): boolean {
    if (indexOfKey(this.#recent, key) >= 0) return true
    for (const layer of this.#layers) if (layer.has(key)) return true
    return false
  }

  /**
   * The keys that may differ between the two maps; all others have equal values. Usually costs as much as was set in
   * between.
   */
  touchedSince(before: LayeredMap<Key, Value>): ReadonlySet<Key> {
    let shared = 0
    while (shared < this.#layers.length && this.#layers[shared] === before.#layers[shared]) shared += 1
    const layers = [...this.#layers.slice(shared), ...before.#layers.slice(shared)]
    const recent = this.#recent === before.#recent ? [] : [this.#recent, before.#recent]
    return new Set([...layers.flatMap((layer) => [...layer.keys()]), ...recent.flatMap(keysOf<Key, Value>)])
  }

  entries(): MapIterator<[Key, Value]> {
    return this.#whole().entries()
  }

  keys(): MapIterator<Key> {
    return this.#whole().keys()
  }

  values(): MapIterator<Value> {
    return this.#whole().values()
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries()
  }

  forEach(visit: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this)
  }

  #whole(): ReadonlyMap<Key, Value> {
    const [only, ...others] = this.#layers
    const isWhole = only && others.length === 0 && this.#recent.length === 0
    return isWhole ? only : mergeLayers(this.#layers, this.#recent)
  }
}

/**
 * Keys, each followed by its value. So few are found as fast as in a hash table, take a third of its room, and are
 * quickly copied. A project in use has several such maps for each agent and each state that a rewind can go back to.
 */
type RecentPairs<Key, Value> = readonly (Key | Value)[]

const mostRecent = 8

/** The position of a key; -1 when it is not there. */
function indexOfKey<Key, Value>(recent: RecentPairs<Key, Value>, key: Key): number {
  for (let at = 0; at < recent.length; at += 2) if (recent[at] === key) return at
  return -1
}

function withPair<Key, Value>(recent: RecentPairs<Key, Value>, key: Key, value: Value): RecentPairs<Key, Value> {
  const at = indexOfKey(recent, key)
  if (at >= 0) return recent.with(at + 1, value)
  // A spread leaves room for sixteen more items in the copy, and `concat` takes four times as long.
  const longer = new Array<Key | Value>(recent.length + 2)
  for (let index = 0; index < recent.length; index += 1) longer[index] = recent[index] as Key | Value
  longer[recent.length] = key
  longer[recent.length + 1] = value
  return longer
}

function keysOf<Key, Value>(recent: RecentPairs<Key, Value>): Key[] {
  return recent.filter((_, at) => at % 2 === 0) as Key[]
}

function mergeLayers<Key, Value>(
  layers: readonly ReadonlyMap<Key, Value>[],
  recent: RecentPairs<Key, Value>,
): Map<Key, Value> {
  const whole = new Map(layers[0])
  for (const layer of layers.slice(1)) for (const [key, value] of layer) whole.set(key, value)
  for (let at = 0; at < recent.length; at += 2) whole.set(recent[at] as Key, recent[at + 1] as Value)
  return whole
}
