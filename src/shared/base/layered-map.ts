/**
 * An immutable map for folds: setting a key copies only what was set lately, not the whole map. Keys keep the order in
 * which they first came. A fold over n entries costs about n·√n in the worst case instead of n².
 */
export class LayeredMap<Key, Value> implements ReadonlyMap<Key, Value> {
  readonly #base: ReadonlyMap<Key, Value>
  readonly #recent: ReadonlyMap<Key, Value>
  readonly size: number

  private constructor(base: ReadonlyMap<Key, Value>, recent: ReadonlyMap<Key, Value>, size: number) {
    this.#base = base
    this.#recent = recent
    this.size = size
  }

  static empty<Key, Value>(): LayeredMap<Key, Value> {
    return new LayeredMap(new Map(), new Map(), 0)
  }

  with(key: Key, value: Value): LayeredMap<Key, Value> {
    const size = this.size + (this.has(key) ? 0 : 1)
    const recent = new Map(this.#recent).set(key, value)
    if (recent.size ** 2 <= Math.max(size, smallest)) return new LayeredMap(this.#base, recent, size)
    return new LayeredMap(new Map([...this.#base, ...recent]), new Map(), size)
  }

  /** Costs as much as the whole map. */
  without(keys: ReadonlySet<Key>): LayeredMap<Key, Value> {
    if (keys.size === 0) return this
    const left = new Map([...this.entries()].filter(([key]) => !keys.has(key)))
    return new LayeredMap(left, new Map(), left.size)
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key)
    return recent !== undefined || this.#recent.has(key) ? recent : this.#base.get(key)
  }

  has(key: Key): boolean {
    return this.#recent.has(key) || this.#base.has(key)
  }

  *entries(): MapIterator<[Key, Value]> {
    for (const [key, value] of this.#base) yield [key, this.#recent.has(key) ? (this.#recent.get(key) as Value) : value]
    for (const [key, value] of this.#recent) if (!this.#base.has(key)) yield [key, value]
  }

  *keys(): MapIterator<Key> {
    for (const [key] of this.entries()) yield key
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries()
  }

  forEach(visit: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this)
  }
}

/** Below this many keys one more copy is cheaper than two look-ups. */
const smallest = 256
