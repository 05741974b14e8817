/** What a person wants to be told while they look elsewhere. */
export interface NotificationChoices {
  readonly needsYou: boolean
  readonly done: boolean
}

const key = 'coppice-notifications'
const usual: NotificationChoices = { needsYou: true, done: false }

export function readNotifications(storage: Storage): NotificationChoices {
  const saved = storage.getItem(key)
  return saved === null ? usual : { ...usual, ...(JSON.parse(saved) as Partial<NotificationChoices>) }
}

export function saveNotifications(storage: Storage, choices: NotificationChoices): void {
  storage.setItem(key, JSON.stringify(choices))
}
