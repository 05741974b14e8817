import { globSync } from 'node:fs'

/** The database of the only project of a data folder. */
export function databaseFileOf(dataFolder: string): string {
  const [file, ...others] = globSync(`${dataFolder}/projects/*/project.db`)
  if (file === undefined || others.length > 0) throw new Error(`There is not just one project in ${dataFolder}`)
  return file
}
