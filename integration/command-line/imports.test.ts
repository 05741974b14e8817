import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { coppice, folder } from './coppice.testkit.ts'

it('lists what other tools have, takes only what is named, and takes it back', async () => {
  const root = folder()
  const [home, project, data] = [join(root, 'home'), join(root, 'home/app'), join(root, 'data')]
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  write('app/.cursor/commands/here.md', 'Of the folder.\n')
  write('.cursor/commands/plan.md', 'Plan.\n')
  write('.codex/prompts/plan.md', 'Plan as Codex does.\n')
  write('.codex/config.toml', '[mcp_servers.files]\ncommand = "files"\n')
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await coppice(['import', ...args, '-C', project, '--data-dir', data], {
      HOME: home,
    })
    return { code, stdout, stderr, json: args.includes('--json') ? JSON.parse(stdout) : null }
  }
  const settings = () => JSON.parse(readFileSync(join(data, 'settings.json'), 'utf8'))
  const listed = await run()
  expect(listed.code).toBe(0)
  expect(listed.stdout).toMatch(/Codex\n.*\nserver +files +new/)
  expect(listed.stdout).toContain('Nothing was taken. Take all that is new with --all')
  expect(listed.stderr).toContain('The folder is not trusted')
  expect(listed.stdout).not.toContain('here')
  const dry = await run('cursor', '--all', '--dry-run')
  expect(dry.stdout).toContain('+ Plan.\n')
  const taken = await run('--only', 'server:files', '--only', 'command', '--json')
  expect(taken.json.taken).toEqual(['codex/home/server/files', 'codex/home/command/plan'])
  expect(taken.stderr).toContain('command plan of cursor is not taken: codex has it too.')
  expect(settings().mcp_servers).toEqual({ files: { command: 'files' } })
  const replaced = await run('cursor', '--only', 'command:plan')
  expect([replaced.code, readFileSync(join(data, 'commands/plan.md'), 'utf8')]).toEqual([0, 'Plan.\n'])
  expect((await run('--all')).stdout).toBe('There is nothing new to take.\n')
  expect((await run('--trust', '--all', '--json')).json.taken).toEqual(['cursor/folder/command/here'])
  for (const left of [3, 2, 1]) expect([left, (await run('--undo')).code]).toEqual([left, 0])
  expect((await run('--undo')).stdout).toBe('There is no import to undo.\n')
  expect((await run('--json')).json.items.map(({ state }: { state: string }) => state)).toEqual([
    'new',
    'new',
    'new',
    'new',
  ])
  expect((await run(project)).stderr).toContain(`A folder follows -C: coppice import -C ${project}`)
  for (const wrong of [
    ['--undo', '--all'],
    ['--all', '--only', 'agent'],
    ['--only', 'word'],
    ['--only', 'agent:none'],
    ['emacs'],
  ])
    expect((await run(...wrong)).code).toBe(2)
})
