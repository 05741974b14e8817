import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = join(import.meta.dirname, '..')
const readme = readFileSync(join(folder, 'README.md'), 'utf8')
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? ''

it('prints what the README says, by the lines of the README, through the doors of the package', () => {
  const options = { cwd: folder, input: blockOf('js'), encoding: 'utf8' } as const
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-'], options)
  expect(stderr).toBe('')
  expect(stdout).toBe(blockOf('diff'))
  expect(stdout).toContain('+FIVE')
})
