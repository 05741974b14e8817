// Gathers what the machines of a release made: `node scripts/release/gather-parts.ts PARTS RELEASE`. PARTS has a folder for
// each machine. Lists of updates with the same name become one; any other name may be there once.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mergeLists } from './update-lists.ts'

const [parts, release] = process.argv.slice(2)
if (parts === undefined || release === undefined) {
  process.stderr.write('Usage: node scripts/release/gather-parts.ts PARTS RELEASE\n')
  process.exit(2)
}
mkdirSync(release, { recursive: true })
const lists = new Map<string, string[]>()
for (const folder of readdirSync(parts).sort())
  for (const name of readdirSync(join(parts, folder))) {
    const file = join(parts, folder, name)
    if (name.endsWith('.yml')) lists.set(name, [...(lists.get(name) ?? []), readFileSync(file, 'utf8')])
    else if (existsSync(join(release, name))) throw new Error(`Two machines made ${name}.`)
    else copyFileSync(file, join(release, name))
  }
for (const [name, texts] of lists) writeFileSync(join(release, name), mergeLists(texts))
