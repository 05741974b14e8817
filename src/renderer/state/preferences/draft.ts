/** What was typed and not sent yet, kept per project and thread; all windows on a thread have the same. */
export interface DraftStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export function draftKey(projectId: string, threadId: string | null): string {
  return `coppice-draft ${projectId} ${threadId ?? 'new'}`
}

export function readDraft(storage: DraftStorage, key: string): string {
  return storage.getItem(key) ?? ''
}

export function writeDraft(storage: DraftStorage, key: string, text: string): void {
  try {
    if (text === '') storage.removeItem(key)
    else storage.setItem(key, text)
  } catch {
    // The draft is too large to keep; it is still on screen.
  }
}

/** Hears what another window types into the same box; returns how to stop. */
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
