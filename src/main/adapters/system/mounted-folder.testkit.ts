import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { claimFolder, emptyMade, removeInMade, removeInMadeSync, removeMade } from './made-folders.ts'

/**
 * Makes a folder for each way to remove one, or removes it in that way. Then prints what each way said, and whether the place in
 * it is still there.
 */
const [above = '', task] = process.argv.slice(2)
const ways = {
  removeMade: (folder: string) => removeMade(folder),
  emptyMade: (folder: string) => emptyMade(folder),
  removeInMade: (folder: string) => removeInMade(join(folder, 'a')),
  removeInMadeSync: (folder: string) => removeInMadeSync(join(folder, 'a')),
}
const outcomes: unknown[] = []
for (const [way, remove] of Object.entries(ways)) {
  const folder = join(above, way)
  const place = join(folder, 'a/b c')
  claimFolder(folder)
  if (task === 'make') mkdirSync(place, { recursive: true })
  else {
    if (!existsSync(join(place, 'canary'))) throw new Error('nothing was mounted')
    let said = ''
    try {
      await remove(folder)
    } catch (error) {
      said = String(error)
    }
    outcomes.push([way, said, existsSync(place)])
  }
}
if (task !== 'make') process.stdout.write(JSON.stringify(outcomes))
