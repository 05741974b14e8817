// The first load of the window: the files that index.html names, and their imports before any click. Sizes are gzip,
// as sent.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './steps.mjs'

const limitKb = 450
const folder = join(root, 'out/renderer')

/**
 * Files that the page names, and their static imports. Dynamic imports are left out, because they are loaded on first
 * use.
 */
function firstLoad() {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const waiting = [...page.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1])
  const files = new Set(['index.html'])
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue
    files.add(file)
    if (file.endsWith('.js')) waiting.push(...staticImports(file))
  }
  return [...files]
}

function staticImports(file) {
  const text = readFileSync(join(folder, file), 'utf8')
  const imports = text.matchAll(/(?:^|[;\n}])\s*(?:import|export)\s*(?:[\w*${}\s,]+from\s*)?["'](\.[^"']+\.js)["']/g)
  return [...imports].map((match) => join(dirname(file), match[1]).replaceAll('\\', '/'))
}

const files = firstLoad()
const sizes = files
  .map((file) => ({ file, bytes: gzipSync(readFileSync(join(folder, file))).length }))
  .sort((a, b) => b.bytes - a.bytes)
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0) / 1024
for (const { file, bytes } of sizes.slice(0, 8))
  process.stdout.write(`${(bytes / 1024).toFixed(1).padStart(8)} KB  ${file}\n`)
process.stdout.write(`First load: ${total.toFixed(0)} KB gzip in ${files.length} files, limit ${limitKb} KB\n`)
process.exit(files.length > 1 && total <= limitKb ? 0 : 1)
