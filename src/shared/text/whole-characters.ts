/**
 * The beginning of a text: at most `most` characters as `length` counts them, and never half of one. Half of an emoji in a
 * request makes servers refuse it, and every later request of the same conversation.
 */
export function beginningOf(text: string, most: number): string {
  const end = Math.max(0, Math.min(Math.trunc(most), text.length))
  return text.slice(0, isWithinCharacter(text, end) ? end - 1 : end)
}

/** The end of a text, as `beginningOf` cuts its beginning. */
export function tailOf(text: string, most: number): string {
  const start = text.length - Math.max(0, Math.min(Math.trunc(most), text.length))
  return text.slice(isWithinCharacter(text, start) ? start + 1 : start)
}

/** True when a character of two units stands on both sides of the index. */
function isWithinCharacter(text: string, index: number): boolean {
  return index > 0 && index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff
}

/**
 * The same value with whole characters alone in all its texts and keys: half of one becomes U+FFFD. What has none is
 * returned as it is, not as a copy.
 */
export function withWholeCharacters<Value>(value: Value): Value {
  return mend(value) as Value
}

function mend(value: unknown): unknown {
  if (isWhole(value)) return value
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(mend)
  const entries = Object.entries(value as object)
  return Object.fromEntries(withUniqueKeys(entries.map(([key, inner]) => [key.toWellFormed(), mend(inner)] as const)))
}

/** A look that makes nothing, because whole conversations are looked through again and again. */
function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (Array.isArray(value)) return value.every(isWhole)
  if (typeof value !== 'object' || value === null) return true
  for (const key in value)
    if (!key.isWellFormed() || !isWhole((value as Readonly<Record<string, unknown>>)[key])) return false
  return true
}

/** Keys that differed in their halves alone stay apart. */
function withUniqueKeys(entries: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  const taken = new Set<string>()
  return entries.map(([key, value]) => {
    let unique = key
    while (taken.has(unique)) unique += '\ufffd'
    taken.add(unique)
    return [unique, value]
  })
}
