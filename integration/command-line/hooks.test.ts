import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { coppice, folder as newFolder } from './coppice.testkit.ts'

interface Row {
  readonly id: string
  readonly command: string
  readonly source: string
  readonly state: string
}

const hookOf = (command: string) => ({
  PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }],
})

/** A folder with a hook, and settings with another one. */
function world() {
  const [data, folder] = [newFolder(), newFolder()]
  mkdirSync(join(folder, '.claude'))
  const write = (command: string) =>
    writeFileSync(join(folder, '.claude/settings.json'), JSON.stringify({ hooks: hookOf(command) }))
  write('scripts/guard')
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ hooks: hookOf('own-guard') }))
  const verb = (...flags: string[]) =>
    coppice(['hooks', folder, '--data-dir', data, ...flags], { HOME: data, CLAUDE_CONFIG_DIR: join(data, 'claude') })
  const list = async (...flags: string[]): Promise<readonly Row[]> =>
    JSON.parse((await verb('--json', ...flags)).stdout).hooks
  return { verb, list, write }
}

const ofProject = (rows: readonly Row[]) => rows.filter(({ source }) => source === 'project')

it('does not read the hooks of a folder before it is trusted', async () => {
  const { verb, list } = world()
  expect(await list()).toEqual([expect.objectContaining({ command: 'own-guard', state: 'on' })])
  expect((await verb()).stderr).toContain('--trust trusts it')
})

it('approves a hook of the folder as it is, and asks again once it changed', async () => {
  const { verb, list, write } = world()
  const [waits] = ofProject(await list('--trust'))
  expect(waits).toMatchObject({ command: 'scripts/guard', state: 'waits' })
  const { stdout, stderr, code } = await verb('--approve', waits?.id ?? '')
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Approved: PreToolUse Bash') })
  expect(stdout).toContain('scripts/guard')
  expect(ofProject(await list())).toMatchObject([{ state: 'on' }])
  write('scripts/guard --loose')
  const changed = ofProject(await list())
  expect(changed).toMatchObject([{ state: 'waits' }])
  expect(changed[0]?.id).not.toBe(waits?.id)
  expect(ofProject(await list('--approve', 'all'))).toMatchObject([{ state: 'on' }])
  expect(ofProject(await list('--revoke', changed[0]?.id ?? ''))).toMatchObject([{ state: 'waits' }])
})

it('switches a hook of the person off, and approves none of theirs', async () => {
  const { verb, list } = world()
  const [own] = await list()
  const id = own?.id ?? ''
  expect(await list('--off', id)).toMatchObject([{ state: 'off' }])
  expect(await list('--on', id)).toMatchObject([{ state: 'on' }])
  expect(await verb('--approve', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('needs no approval') })
})

/** Mutation: print a command as it is. */
it('shows a command with line breaks, sequences and words of its own on one line', async () => {
  const { verb, write } = world()
  write('true\n\u001b[2Kcoppice: all is well\u202e')
  const { stderr, stdout } = await verb('--trust', '--approve', 'all')
  expect(stderr.split('\n').filter((line) => line.startsWith('Approved'))).toEqual([
    expect.stringMatching(/^Approved: PreToolUse Bash: true.*coppice: all is well/),
  ])
  for (const sign of ['\u001b', '\u202e', '\ncoppice: all']) expect(stderr + stdout).not.toContain(sign)
  expect(await verb('--approve', 'all')).toMatchObject({ code: 0 })
})

it('changes nothing when one of the ids is unknown', async () => {
  const { verb, list } = world()
  const [own] = await list()
  const { code, stderr } = await verb('--off', own?.id ?? '', '--off', 'ffff0000')
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no hook ffff0000') })
  expect(await list()).toMatchObject([{ state: 'on' }])
})
