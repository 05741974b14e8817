import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every way in which editors save. */
const ways = [
  (place: string, text: string) => writeFileSync(place, text),
  (place: string, text: string) => {
    writeFileSync(`${place}.tmp`, text)
    renameSync(`${place}.tmp`, place)
  },
  (place: string, text: string) => {
    renameSync(place, `${place}~`)
    writeFileSync(place, text)
    rmSync(`${place}~`)
  },
]

/** As a program: saves files `0`, `1` … of a folder so many times, as fast as it can. Save n has the text `n`. */
const [folder, files, saves] = process.argv.slice(2)
for (let save = 0; save < Number(saves); save += 1)
  ways[save % ways.length]?.(join(folder ?? '', String(save % Number(files))), `${save}`)
