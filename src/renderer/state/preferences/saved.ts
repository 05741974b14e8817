import * as z from 'zod/mini'

/** The part of the browser's storage that is used here. Any call may throw if room or permission is missing. */
export type SavedStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** The shape of something the window saves as JSON. */
export interface SavedFormat<Value> {
  /** Its name in messages, such as `the notification choices`. */
  readonly name: string
  /**
   * Rises when the shape changes. Text without a version was saved before there were versions, and has the shape of
   * version 1.
   */
  readonly version: number
  readonly schema: z.ZodMiniType<Value>
}

/** Why a saved text was not used, and the key that holds it now; null if there was no room to move it. */
export interface SetAside {
  readonly reason: 'damaged' | 'newer'
  readonly keptAs: string | null
}

/** What was found under a key. */
type Saved<Value> =
  | { readonly state: 'none' }
  | { readonly state: 'read'; readonly value: Value }
  | ({ readonly state: 'set_aside' } & SetAside)

/**
 * Reads the value saved under a key. Damaged text, and text of a newer version, is moved to another key and reported
 * on the console. It is never overwritten, and this never throws.
 */
export function readSaved<Value>(storage: SavedStorage, key: string, format: SavedFormat<Value>): Saved<Value> {
  const text = getText(storage, key)
  if (text === null) return { state: 'none' }
  const parsed = parseSaved(text, format)
  if (parsed.state === 'read') return parsed
  return { state: 'set_aside', ...setAside(storage, key, text, format.name, parsed.state) }
}

/** Saves a value with the version of its format. A failure is only reported on the console. */
export function writeSaved<Value extends object>(
  storage: SavedStorage,
  key: string,
  format: SavedFormat<Value>,
  value: Value,
): void {
  putText(storage, key, JSON.stringify({ version: format.version, ...value }), format.name)
}

/** Reads one of a few words; null if nothing was chosen. Any other text is set aside as damaged. */
export function readChoice<Choice extends string>(
  storage: SavedStorage,
  key: string,
  choices: readonly Choice[],
): Choice | null {
  const text = getText(storage, key)
  if (text === null) return null
  const known = choices.find((choice) => choice === text)
  if (known === undefined) setAside(storage, key, text, `the choice ${key}`, 'damaged')
  return known ?? null
}

/** Saves one of a few words. A failure is only reported on the console. */
export function writeChoice(storage: SavedStorage, key: string, choice: string): void {
  putText(storage, key, choice, `the choice ${key}`)
}

type Parsed<Value> = { readonly state: 'read'; readonly value: Value } | { readonly state: SetAside['reason'] }

const versioned = z.object({ version: z.optional(z.number()) })

function parseSaved<Value>(text: string, { version, schema }: SavedFormat<Value>): Parsed<Value> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { state: 'damaged' }
  }
  const head = versioned.safeParse(json)
  if (!head.success) return { state: 'damaged' }
  if ((head.data.version ?? 1) > version) return { state: 'newer' }
  const { success, data } = schema.safeParse(json)
  return success ? { state: 'read', value: data } : { state: 'damaged' }
}

/**
 * Removes the text before saving it again, so that this works in a full storage. Puts the text back if even that
 * fails.
 */
function setAside(
  storage: SavedStorage,
  key: string,
  text: string,
  name: string,
  reason: SetAside['reason'],
): SetAside {
  const keptAs = freeKey(storage, key)
  try {
    storage.removeItem(key)
    storage.setItem(keptAs, text)
  } catch {
    putText(storage, key, text, name)
    warn(name, reason, key)
    return { reason, keptAs: null }
  }
  warn(name, reason, keptAs)
  return { reason, keptAs }
}

function warn(name: string, reason: SetAside['reason'], key: string): void {
  const why = reason === 'newer' ? 'a newer version saved it' : 'the text is damaged'
  console.warn(`Coppice cannot read ${name}: ${why}. It is kept under "${key}".`)
}

function freeKey(storage: SavedStorage, key: string): string {
  for (let count = 1; ; count += 1) {
    const aside = count === 1 ? `${key} (set aside)` : `${key} (set aside ${count})`
    if (getText(storage, aside) === null) return aside
  }
}

function getText(storage: SavedStorage, key: string): string | null {
  try {
    return storage.getItem(key)
  } catch {
    return null
  }
}

function putText(storage: SavedStorage, key: string, text: string, name: string): void {
  try {
    storage.setItem(key, text)
  } catch (error) {
    console.warn(`Coppice could not save ${name}.`, error)
  }
}
