import * as z from 'zod/mini'
import { workModes } from '#shared/model/calls/interrupt.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { Answers } from '../store/answers.ts'
import type { Edits } from '../store/edits.ts'
import type { Rewrites } from '../store/rewrites.ts'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from './saved.ts'

/** What is typed in a project and not sent yet, besides the drafts of messages. */
export interface Typing {
  readonly answers: Answers
  readonly rewrites: Rewrites
  readonly edits: Edits
}

/** In the key of a text that could not be read. */
const asideMark = '(set aside'

export const nothingTyped: Typing = { answers: {}, rewrites: {}, edits: {} }

const answerFormat: SavedFormat<Answers[string]> = {
  name: 'what was typed on a card',
  version: 1,
  schema: z.object({
    edited: z.nullable(z.string()),
    editing: z.boolean(),
    reason: z.string(),
    network: z.string(),
    reply: z.string(),
    choices: z._default(z.array(z.object({ chosen: z.array(z.string()), other: z.string() })), []),
    kept: z._default(z.nullable(z.array(z.string())), null),
    mode: z._default(z.nullable(z.enum(workModes)), null),
  }),
}

const editFormat: SavedFormat<Edits[string]> = {
  name: 'a changed text',
  version: 1,
  schema: z.object({ before: z.string(), typed: z.string() }),
}

/** Saves what changed. Each text has a key of its own, so that windows on one project keep each other's texts. */
export function saveTyping(storage: SavedStorage, id: ProjectId, now: Typing, before: Typing): void {
  saveEach(storage, keyOf(id, 'answer'), answerFormat, now.answers, before.answers)
  saveEach(storage, keyOf(id, 'rewrite'), editFormat, now.rewrites, before.rewrites)
  saveEach(storage, keyOf(id, 'edit'), editFormat, now.edits, before.edits)
}

/** What was typed in a project before a reload. */
export function readTyping(storage: Pick<Storage, 'length' | 'key'> & SavedStorage, id: ProjectId): Typing {
  return {
    answers: readEach(storage, keyOf(id, 'answer'), answerFormat),
    rewrites: readEach(storage, keyOf(id, 'rewrite'), editFormat),
    edits: readEach(storage, keyOf(id, 'edit'), editFormat),
  }
}

/**
 * Calls `onChange` when another window on the project changes or, with null, closes a rewrite. Returns a function that
 * stops this.
 */
export function followRewrites(
  page: Pick<Window, 'addEventListener' | 'removeEventListener'> & { readonly localStorage: SavedStorage },
  id: ProjectId,
  onChange: (key: string, rewrite: Rewrites[string] | null) => void,
): () => void {
  const prefix = keyOf(id, 'rewrite')
  const hear = ({ key }: Pick<StorageEvent, 'key'>): void => {
    if (!key?.startsWith(prefix) || key.includes(asideMark)) return
    const saved = readSaved(page.localStorage, key, editFormat)
    onChange(key.slice(prefix.length), saved.state === 'read' ? saved.value : null)
  }
  page.addEventListener('storage', hear)
  return () => page.removeEventListener('storage', hear)
}

function keyOf(id: ProjectId, kind: 'answer' | 'rewrite' | 'edit'): string {
  return `coppice-typed ${id} ${kind} `
}

type Texts<Value> = Readonly<Record<string, Value>>

function saveEach<Value extends object>(
  storage: SavedStorage,
  prefix: string,
  format: SavedFormat<Value>,
  now: Texts<Value>,
  before: Texts<Value>,
): void {
  if (now === before) return
  for (const [key, value] of Object.entries(now)) {
    if (value !== before[key]) writeSaved(storage, `${prefix}${key}`, format, value)
  }
  for (const key of Object.keys(before)) if (!(key in now)) storage.removeItem(`${prefix}${key}`)
}

function readEach<Value>(
  storage: Pick<Storage, 'length' | 'key'> & SavedStorage,
  prefix: string,
  format: SavedFormat<Value>,
): Texts<Value> {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
  const found = keys.flatMap((key) => {
    if (!key.startsWith(prefix) || key.includes(asideMark)) return []
    const saved = readSaved(storage, key, format)
    return saved.state === 'read' ? [[key.slice(prefix.length), saved.value] as const] : []
  })
  return Object.fromEntries(found)
}
