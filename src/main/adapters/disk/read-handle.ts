import { read, readSync } from 'node:fs'
import { promisify } from 'node:util'

const readAsync = promisify(read)
/** Below this a synchronous read is quicker than a trip to the thread pool, and too short to be felt. */
const synchronousBytes = 512 * 1024
const chunkBytes = 4 * 1024 * 1024

/** Up to `length` bytes from `offset`; fewer when the file became shorter meanwhile. */
export async function readHandle(descriptor: number, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let done = 0
  while (done < length) {
    const count =
      length <= synchronousBytes
        ? readSync(descriptor, bytes, done, length - done, offset + done)
        : (await readAsync(descriptor, bytes, done, Math.min(chunkBytes, length - done), offset + done)).bytesRead
    if (count === 0) break
    done += count
  }
  return done === length ? bytes : bytes.slice(0, done)
}
