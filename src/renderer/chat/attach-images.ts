const mediaTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

export interface AttachedImage {
  readonly type: 'image'
  readonly mediaType: (typeof mediaTypes)[number]
  /** Base64 without line breaks. */
  readonly data: string
}

/** Bytes of an image a model accepts. */
const largest = 3_750_000

/** Reads the pasted files a model can look at; others are left out. */
export async function readImages(files: FileList): Promise<readonly AttachedImage[]> {
  const read = [...files].map(async (file): Promise<AttachedImage | null> => {
    const mediaType = mediaTypes.find((known) => known === file.type)
    if (!mediaType || file.size > largest) return null
    const bytes = new Uint8Array(await file.arrayBuffer())
    const data = btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''))
    return { type: 'image', mediaType, data }
  })
  return (await Promise.all(read)).filter((image) => image !== null)
}
