/** What was typed and not sent yet, kept per project and thread for as long as the tab or window lives. */
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
