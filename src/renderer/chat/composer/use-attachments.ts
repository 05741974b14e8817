import { useRef, useState } from 'react'
import type { InputCheck } from '#shared/contract/views/threads.ts'
import { type Refusal, refusalOf } from '../../state/connection/refusal.ts'
import { useClient } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'

const labels = strings.attachments
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

export interface AttachedImage {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly mediaType: (typeof imageTypes)[number]
  /** Base64 without line breaks. */
  readonly data: string
}

/** A file that an agent will find below `/inputs/`. */
export interface AttachedFile extends InputCheck {
  readonly id: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** Base64 without line breaks. */
  readonly data: string
}

interface Kept {
  readonly images: readonly AttachedImage[]
  readonly files: readonly AttachedFile[]
}

export interface Attachments extends Kept {
  /** The names of files that are being read. */
  readonly reading: readonly string[]
  /** Why files were not attached. */
  readonly refusals: readonly Refusal[]
  attach(files: Iterable<File>): void
  detachImage(image: AttachedImage): void
  detachFile(id: string): void
  /** Resolves when all files are read, with what is attached then. Null when one of them was refused meanwhile. */
  settle(): Promise<Kept | null>
  /** Removes what was sent. What was attached meanwhile stays. */
  clear(sent: Kept): void
}

/** The most bytes of an image that a model accepts, and of all files of a message. */
const largestImage = 3_750_000
const largestTogether = 20 * 1024 * 1024

const nothing: Kept = { images: [], files: [] }
/** What is attached to the drafts of this window. A draft that is left and opened again still has it. */
const keptByDraft = new Map<string, Kept>()
let lastId = 0

/** The images and files of a draft. Each file is read at once, so that an unusable one is refused before it is sent. */
export function useAttachments(draft: string): Attachments {
  const client = useClient()
  const [kept, setKept] = useState<Kept>(() => keptByDraft.get(draft) ?? nothing)
  const [reading, setReading] = useState<readonly string[]>([])
  const [refusals, setRefusals] = useState<readonly Refusal[]>([])
  const now = useRef({ kept, running: Promise.resolve(), refused: 0 })

  function change(next: (before: Kept) => Kept): void {
    now.current.kept = next(now.current.kept)
    setKept(now.current.kept)
    keptByDraft.set(draft, now.current.kept)
  }

  function refuse(refusal: Refusal): void {
    now.current.refused += 1
    setRefusals((before) => [...before, refusal])
  }

  async function take(file: File): Promise<void> {
    const mediaType = imageTypes.find((known) => known === file.type)
    const together = now.current.kept.files.reduce((sum, { size }) => sum + size, file.size)
    if (mediaType && file.size > largestImage) return refuse(refusalFor(labels.imageTooLarge(file.name)))
    if (!mediaType && together > largestTogether) return refuse(refusalFor(labels.tooLarge(file.name)))
    setReading((before) => [...before, file.name])
    try {
      const data = await base64Of(file)
      if (mediaType) {
        const attached: AttachedImage = { name: file.name, size: file.size, mediaType, data }
        change((before) => ({ ...before, images: [...before.images, attached] }))
      } else {
        const { kind, about } = await client.threads.checkInput({ name: file.name, data })
        lastId += 1
        const attached = { id: String(lastId), name: file.name, size: file.size, kind, about, data }
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
