/**
 * An immutable map for folds. Setting a key copies only the recently set keys, and versions share the rest. Keys stay
 * in the order of their first insertion. Setting takes about logarithmic time.
 */
export class LayeredMap<Key, Value> implements ReadonlyMap<Key, Value> {
  /** Oldest first. Each is much smaller than the one before it, and its values hide older ones. */
  readonly #layers: readonly ReadonlyMap<Key, Value>[]
  readonly size: number

  private constructor(layers: readonly ReadonlyMap<Key, Value>[], size: number) {
    this.#layers = layers
    this.size = size
  }

  static empty<Key, Value>(): LayeredMap<Key, Value> {
    return new LayeredMap([], 0)
  }

  with(key: Key, value: Value): LayeredMap<Key, Value> {
    let joined = 0
    let kept = this.#layers.length
    for (; kept > 0; kept -= 1) {
      const { size } = this.#layers[kept - 1] ?? new Map()
      if (size > Math.max(2 * (joined + 1), smallest)) break
      joined += size
    }
    const top = mergeLayers(this.#layers.slice(kept)).set(key, value)
    return new LayeredMap([...this.#layers.slice(0, kept), top], this.size + (this.has(key) ? 0 : 1))
  }

  /** The map with these keys set, in their order. Costs at most a copy of both. */
  withAll(others: Iterable<readonly [Key, Value]>): LayeredMap<Key, Value> {
    const added = new Map(others)
    if (added.size === 0) return this
    const whole = mergeLayers([...this.#layers, added])
    return new LayeredMap([whole], whole.size)
  }

  /** A map without these keys. Copies the whole map. */
  without(keys: ReadonlySet<Key>): LayeredMap<Key, Value> {
    if (keys.size === 0) return this
    const left = new Map([...this.entries()].filter(([key]) => !keys.has(key)))
    return new LayeredMap([left], left.size)
  }

  get(key: Key): Value | undefined {
    for (let layer = this.#layers.length - 1; layer >= 0; layer -= 1) {
      const value = this.#layers[layer]?.get(key)
      if (value !== undefined || this.#layers[layer]?.has(key)) return value
    }
    return undefined
  }

  has(key: Key): boolean {
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
    const own = [...this.#layers.slice(shared), ...before.#layers.slice(shared)]
    return new Set(own.flatMap((layer) => [...layer.keys()]))
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
    return only && others.length === 0 ? only : mergeLayers(this.#layers)
  }
}

function mergeLayers<Key, Value>(layers: readonly ReadonlyMap<Key, Value>[]): Map<Key, Value> {
  const whole = new Map(layers[0])
  for (const layer of layers.slice(1)) for (const [key, value] of layer) whole.set(key, value)
  return whole
}

/** Copying this many keys is cheaper than searching one more layer. */
const smallest = 8
