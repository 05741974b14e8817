import * as z from 'zod/mini'

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

const image = z.object({
  /** Absent for an image that an earlier version kept. */
  id: z.optional(z.string()),
  name: z.string(),
  /** In bytes. */
  size: z.number(),
  mediaType: z.enum(imageTypes),
  /** Base64 without line breaks. */
  data: z.string(),
})

const file = z.object({
  id: z.string(),
  name: z.string(),
  /** In bytes. */
  size: z.number(),
  kind: z.enum(['json', 'csv', 'text', 'pdf']),
  about: z.string(),
  /** Base64 without line breaks. */
  data: z.string(),
})

export type AttachedImage = Readonly<z.infer<typeof image>>

/** A file that an agent will find below `/inputs/`. */
export type AttachedFile = Readonly<z.infer<typeof file>>

export interface Attached {
  readonly images: readonly AttachedImage[]
  readonly files: readonly AttachedFile[]
}

export const nothingAttached: Attached = { images: [], files: [] }

/** What an image or file is known by in all windows on its draft. */
function attachedKey(one: AttachedImage | AttachedFile): string {
  return one.id ?? one.data
}

/** What is left when other things are taken off. */
export function withoutAttached({ images, files }: Attached, off: Attached): Attached {
  const keys = new Set([...off.images, ...off.files].map(attachedKey))
  const stays = (one: AttachedImage | AttachedFile): boolean => !keys.has(attachedKey(one))
  return { images: images.filter(stays), files: files.filter(stays) }
}

/** The bytes of all attached images and files. */
export function attachedBytes({ images, files }: Attached): number {
  return [...images, ...files].reduce((sum, { size }) => sum + size, 0)
}

const attached = z.object({ images: z.array(image), files: z.array(file) })

/** What the small store knows of a draft. `lost` names what was removed to make room, until the person has seen it. */
const sizeOfDraft = z.object({
  key: z.string(),
  changedAt: z.number(),
  bytes: z.number(),
  names: z.array(z.string()),
  lost: z.array(z.string()),
})
type SizeOfDraft = z.infer<typeof sizeOfDraft>

/** What a window finds attached to a draft from before. */
interface FoundAttached {
  readonly attached: Attached
  /** The names of what was removed since, because other drafts needed the room. */
  readonly lost: readonly string[]
}

/** The most bytes that all drafts keep together. */
const roomForAll = 100 * 1024 * 1024

/**
 * Keeps what is attached to drafts in the database of the browser, because it is too large for its storage of texts.
 * When all drafts together need more than `room` bytes, those that changed longest ago lose theirs. Every function
 * rejects when the browser allows no database or has no room.
 */
export function createAttachedStore(database = 'coppice-attached', room = roomForAll) {
  let opened: Promise<IDBDatabase> | undefined
  let speaker: BroadcastChannel | undefined

  async function begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    const reopen = (): void => {
      opened = undefined
    }
    opened ??= openDatabase(database, reopen)
    opened.catch(reopen)
    return (await opened).transaction(['contents', 'sizes'], mode)
  }

  return {
    /** Reads what is attached to a draft, and forgets that something was lost. */
    async read(key: string): Promise<FoundAttached> {
      const transaction = await begin('readwrite')
      const sizes = transaction.objectStore('sizes')
      const content = attached.safeParse(await answer(transaction.objectStore('contents').get(key)))
      const size = sizeOfDraft.safeParse(await answer(sizes.get(key)))
      const lost = size.success ? size.data.lost : []
      if (lost.length > 0) sizes.delete(key)
      await whenCommitted(transaction)
      return { attached: content.success ? content.data : nothingAttached, lost }
    },

    /**
     * Changes what is attached to a draft, whichever window attached it. Nothing attached removes its place. All
     * windows that follow the draft are told.
     */
    async change(key: string, change: (before: Attached) => Attached): Promise<void> {
      const transaction = await begin('readwrite')
      const contents = transaction.objectStore('contents')
      const before = attached.safeParse(await answer(contents.get(key)))
      const now = change(before.success ? before.data : nothingAttached)
      const sizes = transaction.objectStore('sizes')
      const names = [...now.images, ...now.files].map(({ name }) => name)
      if (names.length === 0) {
        contents.delete(key)
        sizes.delete(key)
      } else {
        contents.put(now, key)
        sizes.put({ key, changedAt: Date.now(), bytes: attachedBytes(now), names, lost: [] } satisfies SizeOfDraft)
        const all: readonly unknown[] = await answer(sizes.getAll())
        for (const old of tooMany(all, key, room)) {
          contents.delete(old.key)
          sizes.put({ ...old, bytes: 0, names: [], lost: old.names } satisfies SizeOfDraft)
        }
      }
      await whenCommitted(transaction)
      speaker ??= new BroadcastChannel(database)
      speaker.postMessage(key)
    },

    /** Calls `onChange` when a window changed what is attached to a draft. Returns a function that stops this. */
    follow(key: string, onChange: () => void): () => void {
      const channel = new BroadcastChannel(database)
      channel.onmessage = ({ data }) => {
        if (data === key) onChange()
      }
      return () => channel.close()
    },
  }
}

/** The drafts that must lose what is attached to them, oldest first. The draft under `key` keeps everything. */
function tooMany(all: readonly unknown[], key: string, room: number): readonly SizeOfDraft[] {
  const known = all.flatMap((one) => {
    const { success, data } = sizeOfDraft.safeParse(one)
    return success ? [data] : []
  })
  let bytes = known.reduce((sum, one) => sum + one.bytes, 0)
  const others = known.filter((one) => one.key !== key && one.bytes > 0).sort((a, b) => a.changedAt - b.changedAt)
  return others.filter((one) => {
    if (bytes <= room) return false
    bytes -= one.bytes
    return true
  })
}

async function openDatabase(name: string, onClosed: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore('contents')
    request.result.createObjectStore('sizes', { keyPath: 'key' })
  }
  const database = await answer(request)
  // Whoever changes or removes the database must not wait for this page.
  database.onversionchange = () => {
    database.close()
    onClosed()
  }
  database.onclose = onClosed
  return database
}

function answer<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function whenCommitted(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
    transaction.onerror = () => reject(transaction.error)
  })
}
