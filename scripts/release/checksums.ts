import { createHash } from 'node:crypto'
import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The name of the file that lists the others. */
export const checksumsFile = 'SHA256SUMS'

/** A line for each file of a folder, as `sha256sum` writes and checks them. Folders are left out. */
export async function writeChecksums(folder: string): Promise<string> {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== checksumsFile)
    .map(({ name }) => name)
    .sort()
  const lines: string[] = []
  for (const name of names) lines.push(`${await hashOf(join(folder, name))}  ${name}\n`)
  return lines.join('')
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** The hash of each file by its name. Throws for a line in another form. */
export function readChecksums(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [, hash, name] = /^([\da-f]{64}) [ *](.+)$/.exec(line) ?? []
      if (hash === undefined || name === undefined) throw new Error(`Not a line of ${checksumsFile}: ${line}`)
      return [name, hash] as const
    }),
  )
}
