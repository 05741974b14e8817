import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './steps.mjs'

/** The time of the latest change below a folder, in milliseconds since the Unix epoch. */
function latestChange(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0)
}

/** False if a source is newer than the build. */
export function isBuilt() {
  const built = join(root, 'out/main/cli.js')
  const page = join(root, 'out/renderer/index.html')
  if (!existsSync(built) || !existsSync(page)) return false
  const builtAt = Math.min(statSync(built).mtimeMs, statSync(page).mtimeMs)
  const sources = ['src', 'packages'].map((folder) => latestChange(join(root, folder)))
  return builtAt > Math.max(...sources, statSync(join(root, 'package.json')).mtimeMs)
}
