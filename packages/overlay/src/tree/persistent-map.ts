/**
 * An immutable map sorted by key (code units). Versions share everything they have in common. It is a treap whose
 * priorities are a pure hash of the key, so a set of keys has exactly one shape. Two related maps differ only along the
 * paths to their differences. Comparing them skips shared parts, and a hash of a node can stand for everything below
 * it. See Seidel & Aragon, "Randomized search trees" (1996).
 */
export interface PersistentMap<Value> {
  /** Null for the empty map. */
  readonly root: MapNode<Value> | null
}

export interface MapNode<Value> {
  /** Compared by code units. */
  readonly key: string
  /** Compared by identity, so equal values in two objects count as different. */
  readonly value: Value
  /** A hash of the key. No child has a higher one. */
  readonly priority: number
  /** Smaller keys. */
  readonly left: MapNode<Value> | null
  /** Larger keys. */
  readonly right: MapNode<Value> | null
  /** Cached hash of this node and everything below it. Undefined until first used. */
  digest: string | undefined
}

type Link<Value> = MapNode<Value> | null

export const emptyMap: PersistentMap<never> = { root: null }

export function getFrom<Value>(map: PersistentMap<Value>, key: string): Value | undefined {
  let node = map.root
  while (node && node.key !== key) node = key < node.key ? node.left : node.right
  return node?.value
}

/** Returns the map itself when it already holds this very value. */
export function setIn<Value>(map: PersistentMap<Value>, key: string, value: Value): PersistentMap<Value> {
  const root = insert(map.root, key, value)
  return root === map.root ? map : { root }
}

/** Returns the map itself when the key is not in it. */
export function deleteFrom<Value>(map: PersistentMap<Value>, key: string): PersistentMap<Value> {
  const root = remove(map.root, key)
  return root === map.root ? map : { root }
}

/** All pairs whose key is at or after `from`, in order. */
export function* pairsFrom<Value>(map: PersistentMap<Value>, from = ''): Generator<readonly [string, Value]> {
  const waiting: MapNode<Value>[] = []
  for (let node = map.root; node; ) {
    if (from <= node.key) waiting.push(node)
    node = from <= node.key ? node.left : node.right
  }
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield [next.key, next.value]
    for (let node = next.right; node; node = node.left) waiting.push(node)
  }
}

/** The first pair at or after `from`, for scans that skip ranges. */
export function seek<Value>(map: PersistentMap<Value>, from: string): readonly [string, Value] | undefined {
  let found: MapNode<Value> | undefined
  for (let node = map.root; node; ) {
    if (from <= node.key) found = node
    node = from <= node.key ? node.left : node.right
  }
  return found && [found.key, found.value]
}

export type MapDifference<Value> = readonly [key: string, before: Value | undefined, after: Value | undefined]

/** The differences of two maps by identity of values, in order of keys. Shared parts are skipped. */
export function differences<Value>(
  before: PersistentMap<Value>,
  after: PersistentMap<Value>,
): readonly MapDifference<Value>[] {
  const found: MapDifference<Value>[] = []
  compare(before.root, after.root, found)
  return found
}

function compare<Value>(before: Link<Value>, after: Link<Value>, found: MapDifference<Value>[]): void {
  if (before === after) return
  const top = higher(before, after)
  if (!top) return
  const [beforeLeft, beforeValue, beforeRight] = split(before, top.key)
  const [afterLeft, afterValue, afterRight] = split(after, top.key)
  compare(beforeLeft, afterLeft, found)
  if (beforeValue !== afterValue) found.push([top.key, beforeValue, afterValue])
  compare(beforeRight, afterRight, found)
}

function higher<Value>(a: Link<Value>, b: Link<Value>): Link<Value> {
  if (!a || !b) return a ?? b
  return a.key !== b.key && outranks(b, a) ? b : a
}

function split<Value>(node: Link<Value>, key: string): [Link<Value>, Value | undefined, Link<Value>] {
  if (!node) return [null, undefined, null]
  if (node.key === key) return [node.left, node.value, node.right]
  if (key < node.key) {
    const [left, value, right] = split(node.left, key)
    return [left, value, withChildren(node, right, node.right)]
  }
  const [left, value, right] = split(node.right, key)
  return [withChildren(node, node.left, left), value, right]
}

function insert<Value>(node: Link<Value>, key: string, value: Value): MapNode<Value> {
  if (!node) return { key, value, priority: priorityOf(key), left: null, right: null, digest: undefined }
  if (node.key === key) return node.value === value ? node : { ...node, value, digest: undefined }
  if (key < node.key) {
    const left = insert(node.left, key, value)
    if (!outranks(left, node)) return withChildren(node, left, node.right)
    return withChildren(left, left.left, withChildren(node, left.right, node.right))
  }
  const right = insert(node.right, key, value)
  if (!outranks(right, node)) return withChildren(node, node.left, right)
  return withChildren(right, withChildren(node, node.left, right.left), right.right)
}

function remove<Value>(node: Link<Value>, key: string): Link<Value> {
  if (!node) return null
  if (node.key === key) return join(node.left, node.right)
  return key < node.key
    ? withChildren(node, remove(node.left, key), node.right)
    : withChildren(node, node.left, remove(node.right, key))
}

function join<Value>(left: Link<Value>, right: Link<Value>): Link<Value> {
  if (!left || !right) return left ?? right
  return outranks(left, right)
    ? withChildren(left, left.left, join(left.right, right))
    : withChildren(right, join(left, right.left), right.right)
}

function withChildren<Value>(node: MapNode<Value>, left: Link<Value>, right: Link<Value>): MapNode<Value> {
  if (left === node.left && right === node.right) return node
  return { key: node.key, value: node.value, priority: node.priority, left, right, digest: undefined }
}

function outranks(a: MapNode<unknown>, b: MapNode<unknown>): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.key < b.key)
}

/** FNV-1a with the finisher of MurmurHash3, so that keys with a common prefix get unrelated priorities. */
function priorityOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
