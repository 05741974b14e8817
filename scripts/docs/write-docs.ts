// `npm run docs`: writes the pages of the guide that are made from the code.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateDocs } from './generated.ts'

const root = join(import.meta.dirname, '../..')
for (const [path, text] of Object.entries(await generateDocs())) {
  writeFileSync(join(root, path), text)
  process.stdout.write(`${path}\n`)
}
process.exit()
