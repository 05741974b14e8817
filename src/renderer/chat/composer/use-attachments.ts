import { useEffect, useRef, useState } from 'react'
import { type Refusal, refusalOf } from '../../state/connection/refusal.ts'
import { useClient } from '../../state/hooks/hooks.tsx'
import {
  type Attached,
  type AttachedFile,
  type AttachedImage,
  attachedBytes,
  createAttachedStore,
  imageTypes,
  nothingAttached,
} from '../../state/preferences/attached.ts'
import { strings } from '../../strings/strings.ts'

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
 * They stay with the draft when the person leaves it or loads the page again.
 */
export function useAttachments(draft: string): Attachments {
  const client = useClient()
  const [kept, setKept] = useState(nothingAttached)
  const [reading, setReading] = useState<readonly string[]>([])
  const [refusals, setRefusals] = useState<readonly Refusal[]>([])
  const now = useRef({ kept, running: Promise.resolve(), refused: 0 })

  useEffect(() => {
    let left = false
    const restore = async (): Promise<void> => {
      const found = await store.read(draft).catch(() => null)
      if (left || !found) return
      now.current.kept = found.attached
      setKept(found.attached)
      if (found.lost.length > 0) setRefusals([refusalFor(labels.lost(found.lost))])
    }
    // A message waits for what was attached to it before, and new files come behind.
    now.current.running = now.current.running.then(restore)
    return () => {
      left = true
    }
  }, [draft])

  function change(next: (before: Attached) => Attached): void {
    now.current.kept = next(now.current.kept)
    setKept(now.current.kept)
    store.write(draft, now.current.kept).catch(() => setRefusals((before) => [...before, refusalFor(labels.notKept)]))
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
    try {
      const data = await base64Of(file)
      if (mediaType) {
        const attached: AttachedImage = { name: file.name, size: file.size, mediaType, data }
        change((before) => ({ ...before, images: [...before.images, attached] }))
      } else {
        const { kind, about } = await client.threads.checkInput({ name: file.name, data })
        const id = String(1 + Math.max(0, ...now.current.kept.files.map((one) => Number(one.id))))
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
    detachImage: (image) => change((before) => ({ ...before, images: before.images.filter((one) => one !== image) })),
    detachFile: (id) => change((before) => ({ ...before, files: before.files.filter((one) => one.id !== id) })),
    async settle() {
      const before = now.current.refused
      await now.current.running
      return now.current.refused === before ? now.current.kept : null
    },
    clear(sent) {
      change(({ images, files }) => ({
        images: images.filter((one) => !sent.images.includes(one)),
        files: files.filter((one) => !sent.files.includes(one)),
      }))
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
