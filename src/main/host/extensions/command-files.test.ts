import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDiskBaseTree } from '#adapters/disk/disk-base-tree.ts'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import { noRules } from '#core/approval/rules.ts'
import { personCommandFiles, projectCommandFiles } from './command-files.ts'
import { commandsIn } from './commands.ts'
import { userSkills } from './skills.ts'

const temporary = (): string => mkdtempSync(join(tmpdir(), 'coppice-commands-'))
const put = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** Everything that a folder of commands can hold and that is no command. */
function hostileFolder(): string {
  const [root, outside] = [temporary(), temporary()]
  const commands = join(root, '.claude/commands')
  put(outside, { 'secret.md': 'CANARY', 'more/a.md': 'CANARY' })
  put(commands, {
    'good.md': 'Do it.',
    'UPPER.MD': 'Do it.',
    'folder.md/inner.md': 'Do it.',
    'my words/a b.md': 'Do it.',
    'notes.txt': 'not a command',
    'bytes.md': 'a\0b',
    '.md': 'Do it.',
  })
  writeFileSync(join(commands, 'large.md'), '')
  truncateSync(join(commands, 'large.md'), 1024 * 1024)
  symlinkSync(join(outside, 'secret.md'), join(commands, 'link.md'))
  symlinkSync(join(outside, 'more'), join(commands, 'linked'))
  symlinkSync('.', join(commands, 'circle'))
  symlinkSync('good.md', join(commands, 'same.md'))
  symlinkSync('nowhere.md', join(commands, 'broken.md'))
  if (process.platform !== 'win32') execFileSync('mkfifo', [join(commands, 'pipe.md')])
  return root
}

describe('a folder of commands', () => {
  const files = (root: string) => ({
    base: createDiskBaseTree(root),
    access: () => promptFileAccess({ interruptOn: new Map(), rules: noRules }),
  })

  it('of a project gives what is inside, and a reason for each file that is not used', async () => {
    const root = hostileFolder()
    const read = await projectCommandFiles(files(root))
    const { commands, problems } = commandsIn(read)
    const names = new Set(commands.map(({ name }) => name))
    for (const name of ['good', 'UPPER', 'folder.md:inner', 'my-words:a-b', 'same']) expect(names).toContain(name)
    expect(JSON.stringify(commands)).not.toContain('CANARY')
    expect(new Set(problems.map(({ file, message }) => `${file.split('/').at(-1)} ${message.slice(0, 20)}`))).toEqual(
      new Set([
        'bytes.md It is not text.',
        'large.md It is larger than 25',
        'link.md It cannot be read: i',
        'broken.md It cannot be read: i',
        '.md Its name is empty. G',
      ]),
    )
  })

  // The same files may be links, because a person's own folder is often one.
  it('of a person follows links, ends in a circle and waits for no pipe', async () => {
    const root = hostileFolder()
    const { commands } = commandsIn(await personCommandFiles([join(root, '.claude/commands'), '/nowhere']))
    const names = commands.map(({ name }) => name)
    for (const name of ['good', 'folder.md:inner', 'link', 'linked:a']) expect(names).toContain(name)
  })

  it('of a thousand files gives the first 500, and says how many are left', async () => {
    const root = temporary()
    const many = Array.from({ length: 1_000 }, (_, index) => [`c${index}.md`, 'Do it.'] as const)
    put(join(root, '.coppice/commands'), Object.fromEntries(many))
    const { commands, problems } = commandsIn(await projectCommandFiles(files(root)))
    expect(commands).toHaveLength(500)
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining('500 more are left out') })])
  })
})

describe('skills of a person', () => {
  const skill = (name: string): string => `---\nname: ${name}\ndescription: How to ${name}\n---\nDo it.`

  it('are one where several folders link to it, and the first folder’s counts', async () => {
    const [one, other] = [temporary(), temporary()]
    put(one, { 'a/SKILL.md': skill('a') })
    put(other, { 'b/SKILL.md': skill('b') })
    symlinkSync(join(one, 'a'), join(other, 'a'))
    const { skills, problems } = await userSkills([one, other, '/nowhere'])
    expect([skills.map(({ source }) => source), problems]).toEqual([
      [join(one, 'a/SKILL.md'), join(other, 'b/SKILL.md')],
      [],
    ])
  })

  it('are the first 500 of more, and one whose limit of tools is none is left out', async () => {
    const root = temporary()
    const many = Array.from({ length: 502 }, (_, index) => [
      `s${String(index).padStart(3, '0')}/SKILL.md`,
      skill(`s${index}`),
    ])
    put(root, { ...Object.fromEntries(many), 's000/SKILL.md': '---\ndescription: x\nallowed-tools: 7\n---\n' })
    const { skills, problems } = await userSkills([root])
    expect(skills).toHaveLength(499)
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('allowed-tools:'),
      'Only the first 500 of 502 are read.',
    ])
  })
})
