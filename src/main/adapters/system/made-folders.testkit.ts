import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { thisMaker } from './maker.ts'

/** Marks a folder as the app does, for a maker with these fields. */
export function markFolder(folder: string, maker: object): void {
  const { dev, ino, birthtimeNs } = lstatSync(folder, { bigint: true })
  const mark = { ...thisMaker(), folder: [dev, ino, birthtimeNs].join(':'), ...maker }
  writeFileSync(join(folder, '.made-by-coppice'), JSON.stringify(mark))
}
