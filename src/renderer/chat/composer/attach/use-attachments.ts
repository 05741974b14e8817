import { useEffect, useRef, useState } from 'react'
import { type Refusal, refusalOf } from '../../../state/connection/refusal.ts'
import { useClient } from '../../../state/hooks/hooks.tsx'
import {
  type Attached,
  type AttachedFile,
  type AttachedImage,
  attachedBytes,
  createAttachedStore,
  imageTypes,
  nothingAttached,
  withoutAttached,
} from '../../../state/preferences/attached.ts'
import { strings } from '../../../strings/strings.ts'

const labels = strings.attachments
export interface Attachments extends Attached {
  /** The names of files that are being read. */
  readonly reading: readonly string[]
  /** Why files were not attached. */
  readonly refusals: readonly Refusal[]
  attach(files: Iterable<File>): void
  detachImage(image: AttachedImage): void
  detachFile(id: string): void
  /** Resolves when all files are read, with what is attached then. Null when one of them was refused meanwhile. */
  settle(): Promise<Attached | null>
  /** Removes what was sent. What was attached meanwhile stays. */
  clear(sent: Attached): void
}

/** The most bytes of an image that a model accepts, and of everything attached to a message. */
const largestImage = 3_750_000
const largestTogether = 20 * 1024 * 1024

const store = createAttachedStore()

/**
 * The images and files of a draft. Each file is read at once, so that an unusable one is refused before it is sent.
 * They stay with the draft when the person leaves it or loads the page again, and all windows on the draft share them.
 */
export function useAttachments(draft: string): Attachments {
  const client = useClient()
  const [kept, setKept] = useState(nothingAttached)
  const [reading, setReading] = useState<readonly string[]>([])
  const [refusals, setRefusals] = useState<readonly Refusal[]>([])
  const now = useRef({ kept, changes: 0, running: Promise.resolve(), refused: 0 })

  useEffect(() => {
    let left = false
    const restore = async (): Promise<void> => {
      const { changes } = now.current
      const found = await store.read(draft).catch(() => null)
      if (left || !found) return
      if (found.lost.length > 0) setRefusals([refusalFor(labels.lost(found.lost))])
      // What was changed here meanwhile is not in the answer.
      if (changes !== now.current.changes) return restore()
      now.current.kept = found.attached
      setKept(found.attached)
    }
    // A message waits for what was attached to it before, and new files come behind.
    now.current.running = now.current.running.then(restore)
    const unfollow = store.follow(draft, () => void restore())
    return () => {
      left = true
      unfollow()
    }
  }, [draft])

  function change(next: (before: Attached) => Attached): void {
    now.current.kept = next(now.current.kept)
    now.current.changes += 1
    setKept(now.current.kept)
    store.change(draft, next).catch(() => setRefusals((before) => [...before, refusalFor(labels.notKept)]))
  }

  function refuse(refusal: Refusal): void {
    now.current.refused += 1
    setRefusals((before) => [...before, refusal])
  }

  async function take(file: File): Promise<void> {
    const mediaType = imageTypes.find((known) => known === file.type)
    if (mediaType && file.size > largestImage) return refuse(refusalFor(labels.imageTooLarge(file.name)))
    if (attachedBytes(now.current.kept) + file.size > largestTogether)
      return refuse(refusalFor(labels.tooLarge(file.name)))
    setReading((before) => [...before, file.name])
    const id = crypto.randomUUID()
    try {
      const data = await base64Of(file)
      if (mediaType) {
        const attached: AttachedImage = { id, name: file.name, size: file.size, mediaType, data }
        change((before) => ({ ...before, images: [...before.images, attached] }))
      } else {
        const { kind, about } = await client.threads.checkInput({ name: file.name, data })
        const attached: AttachedFile = { id, name: file.name, size: file.size, kind, about, data }
        change((before) => ({ ...before, files: [...before.files, attached] }))
      }
    } catch (error) {
      refuse(error instanceof DOMException ? refusalFor(labels.unreadable(file.name)) : refusalOfFile(error))
    } finally {
      setReading((before) => before.toSpliced(before.indexOf(file.name), 1))
    }
  }

  return {
    ...kept,
    reading,
    refusals,
    attach(files) {
      setRefusals([])
      for (const file of files) now.current.running = now.current.running.then(() => take(file))
    },
    detachImage: (image) => change((before) => withoutAttached(before, { images: [image], files: [] })),
    detachFile: (id) => change((before) => ({ ...before, files: before.files.filter((one) => one.id !== id) })),
    async settle() {
      const before = now.current.refused
      await now.current.running
      return now.current.refused === before ? now.current.kept : null
    },
    clear(sent) {
      change((before) => withoutAttached(before, sent))
      setRefusals([])
    },
  }
}

function refusalFor({ message, nextStep }: Pick<Refusal, 'message' | 'nextStep'>): Refusal {
  return { code: 'BAD_REQUEST', message, nextStep }
}

/** The host names the file, the cause and the next step in one message. */
function refusalOfFile(error: unknown): Refusal {
  const refusal = refusalOf(error)
  return refusal.code === 'BAD_REQUEST' ? { ...refusal, nextStep: labels.notAttached } : refusal
}

/** Rejects with a `DOMException` when the file cannot be read, such as a folder. */
function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
