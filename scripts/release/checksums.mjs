// Writes SHA256SUMS for the files of a release: `node scripts/release/checksums.mjs FOLDER`.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lines as `sha256sum` writes them, sorted by name. */
export function checksumsOf(folder) {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return names
    .map(({ name }) => name)
    .filter((name) => name !== 'SHA256SUMS')
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('')
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (!folder) {
    process.stderr.write('Usage: node scripts/release/checksums.mjs FOLDER\n')
    process.exit(2)
  }
  const lines = checksumsOf(folder)
  if (lines === '') throw new Error(`${folder} has no files.`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines)
  process.stdout.write(lines)
}
