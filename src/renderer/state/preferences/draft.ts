import type { SavedStorage } from './saved.ts'

const prefix = 'coppice-draft '

/**
 * The key of a draft: text that is typed but not sent. All windows on a thread share it; `threadId` is null for a new
 * thread.
 */
export function draftKey(projectId: string, threadId: string | null): string {
  return `${prefix}${projectId} ${threadId ?? 'new'}`
}

/** The saved draft; empty for none. */
export function readDraft(storage: SavedStorage, key: string): string {
  return storage.getItem(key) ?? ''
}

/** Every saved draft, of all projects and threads. */
export function readDrafts(storage: Pick<Storage, 'length' | 'key' | 'getItem'>): readonly string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
  return keys.filter((key) => key.startsWith(prefix)).flatMap((key) => storage.getItem(key) ?? [])
}

/** Saves a draft. An empty one is removed. */
export function writeDraft(storage: SavedStorage, key: string, text: string): void {
  try {
    if (text === '') storage.removeItem(key)
    else storage.setItem(key, text)
  } catch {
    // There is no room for the draft, but it is still on screen.
  }
}

/** Saves a draft and shows it in the message box of this window. */
export function showDraft(page: Pick<Window, 'localStorage' | 'dispatchEvent'>, key: string, text: string): void {
  writeDraft(page.localStorage, key, text)
  // The box follows its draft in other windows; it is told in the same way here.
  page.dispatchEvent(new StorageEvent('storage', { key, newValue: text }))
}

/** Calls `onText` when another window types into the same box. Returns a function that stops this. */
export function followDraft(
  page: Pick<Window, 'addEventListener' | 'removeEventListener'>,
  key: string,
  onText: (text: string) => void,
): () => void {
  const hear = (event: StorageEvent): void => {
    if (event.key === key) onText(event.newValue ?? '')
  }
  page.addEventListener('storage', hear)
  return () => page.removeEventListener('storage', hear)
}
