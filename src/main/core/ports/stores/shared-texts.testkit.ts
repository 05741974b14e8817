import { type SharedTexts, SharedTextsError } from './shared-texts.ts'

/** The texts of all projects in memory. */
export function createMemorySharedTexts(now: () => number = () => 1_700_000_000_000): SharedTexts {
  const texts = new Map<string, { readonly bytes: Uint8Array; readonly modified: number; readonly version: number }>()
  let last = 0
  return {
    list: () =>
      [...texts].map(([name, { bytes, modified, version }]) => ({ name, size: bytes.length, modified, version })),
    read: (name) => texts.get(name)?.bytes.slice(),
    commit(changes) {
      const stale = changes.find(({ name, from }) => (texts.get(name)?.version ?? null) !== from)
      if (stale) throw new SharedTextsError('moved_on', `${stale.name} was changed meanwhile.`)
      for (const { name, bytes } of changes) {
        last += 1
        if (bytes === null) texts.delete(name)
        else texts.set(name, { bytes: bytes.slice(), modified: now(), version: last })
      }
    },
  }
}
