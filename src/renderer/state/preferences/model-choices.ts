import * as z from 'zod/mini'
import { type Effort, efforts } from '#shared/model/models/model-facts.ts'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from './saved.ts'

/** What a person chose last, for new threads. */
export interface ModelChoices {
  /** Ids of models, latest first. */
  readonly used: readonly string[]
  /** Null for as usual. */
  readonly effort: Effort | null
  /** Null for as usual. */
  readonly thinking: boolean | null
}

const key = 'coppice-models'
const most = 5
const none: ModelChoices = { used: [], effort: null, thinking: null }
const format: SavedFormat<ModelChoices> = {
  name: 'the last chosen models',
  version: 1,
  schema: z.object({
    used: z.array(z.string()),
    effort: z.nullable(z.enum(efforts)),
    thinking: z.nullable(z.boolean()),
  }),
}

export function readModelChoices(storage: SavedStorage): ModelChoices {
  const saved = readSaved(storage, key, format)
  return saved.state === 'read' ? saved.value : none
}

/** Keeps that a model was chosen. */
export function rememberModel(storage: SavedStorage, id: string): void {
  const before = readModelChoices(storage)
  const used = [id, ...before.used.filter((one) => one !== id)].slice(0, most)
  writeSaved(storage, key, format, { ...before, used })
}

export function rememberEffort(
  storage: SavedStorage,
  choice: Partial<Pick<ModelChoices, 'effort' | 'thinking'>>,
): void {
  writeSaved(storage, key, format, { ...readModelChoices(storage), ...choice })
}
