/**
 * Where drafts are saved: text that is typed and not sent, per project and thread. All windows on a thread share it.
 */
export interface DraftStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The key of a draft; `threadId` is null for a new thread. */
export function draftKey(projectId: string, threadId: string | null): string {
  return `coppice-draft ${projectId} ${threadId ?? 'new'}`
}

/** The saved draft; empty for none. */
export function readDraft(storage: DraftStorage, key: string): string {
  return storage.getItem(key) ?? ''
}

/** Saves a draft. An empty one is removed. */
export function writeDraft(storage: DraftStorage, key: string, text: string): void {
  try {
    if (text === '') storage.removeItem(key)
    else storage.setItem(key, text)
  } catch {
    // There is no room for the draft. It is still on screen.
  }
}

/** Calls `onText` when another window types into the same box. Returns how to stop. */
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
