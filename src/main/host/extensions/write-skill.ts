import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { WireError } from '#shared/contract/wire-errors.ts'

export interface NewSkill {
  /** Also the name of the skill's folder, so it must not contain separators. */
  readonly name: string
  readonly description: string
  readonly body: string
}

/** Writes a skill to its own folder. An existing skill is never overwritten. */
export async function writeSkill(folder: string, { name, description, body }: NewSkill): Promise<{ file: string }> {
  const own = join(folder, name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await mkdir(own, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new WireError('REFUSED', `There is a skill in ${own} already. Choose another name.`)
  }
  const file = join(own, 'SKILL.md')
  await writeFile(file, `---\n${stringify({ name, description })}---\n\n${body}\n`, { mode: 0o600, flag: 'wx' })
  return { file }
}
