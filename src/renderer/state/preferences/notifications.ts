import * as z from 'zod/mini'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from './saved.ts'

/** What a person wants to be told about what is out of sight. */
export interface NotificationChoices {
  readonly needsYou: boolean
  readonly done: boolean
  /** A short sound when an agent needs the person, and when a thread ends. */
  readonly sounds: boolean
}

const key = 'coppice-notifications'
const usual: NotificationChoices = { needsYou: true, done: false, sounds: true }
type Saved = Readonly<{ [Name in keyof NotificationChoices]?: boolean | undefined }>
const format: SavedFormat<Saved> = {
  name: 'the notification choices',
  version: 1,
  schema: z.object({
    needsYou: z.optional(z.boolean()),
    done: z.optional(z.boolean()),
    sounds: z.optional(z.boolean()),
  }),
}

/** The saved choices, or the defaults if nothing readable was saved. */
export function readNotifications(storage: SavedStorage): NotificationChoices {
  const saved = readSaved(storage, key, format)
  if (saved.state !== 'read') return usual
  const { needsYou = usual.needsYou, done = usual.done, sounds = usual.sounds } = saved.value
  return { needsYou, done, sounds }
}

export function saveNotifications(storage: SavedStorage, choices: NotificationChoices): void {
  writeSaved(storage, key, format, choices)
}
