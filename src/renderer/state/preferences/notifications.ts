import * as z from 'zod/mini'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from './saved.ts'

/** The notifications that a person wants while this window is not in front. */
export interface NotificationChoices {
  readonly needsYou: boolean
  readonly done: boolean
}

const key = 'coppice-notifications'
const usual: NotificationChoices = { needsYou: true, done: false }
const format: SavedFormat<Readonly<{ needsYou?: boolean | undefined; done?: boolean | undefined }>> = {
  name: 'the notification choices',
  version: 1,
  schema: z.object({ needsYou: z.optional(z.boolean()), done: z.optional(z.boolean()) }),
}

/** The saved choices, or the defaults if nothing readable was saved. */
export function readNotifications(storage: SavedStorage): NotificationChoices {
  const saved = readSaved(storage, key, format)
  if (saved.state !== 'read') return usual
  return { needsYou: saved.value.needsYou ?? usual.needsYou, done: saved.value.done ?? usual.done }
}

export function saveNotifications(storage: SavedStorage, choices: NotificationChoices): void {
  writeSaved(storage, key, format, choices)
}
