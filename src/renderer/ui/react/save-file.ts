/** Milliseconds after which a download has begun and no longer needs its address. */
const begunAfter = 10_000

/** Downloads a file. The desktop app asks where to save it. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), begunAfter)
}
