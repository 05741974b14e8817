import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type Call, callingInTurn } from '../e2e/model-server/scenario.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { noSandbox } from '../src/main/adapters/shell/sandbox.ts'
import { sandboxHere } from '../src/main/adapters/shell/sandbox-here.testkit.ts'
import { openWorld } from './world.testkit.ts'

const { state } = await sandboxHere('folders beside a project')

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
const call = (name: string, input: object): Call => ({ name, input })
const execute = (command: string) => call('execute', { command })

/** A folder beside every project, with what nobody may see in it. */
function libraryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-beside-')))
  const files = {
    'src/add.ts': 'export const add = 1\n',
    'deploy/.env': `TOKEN=${token}\n`,
    id_rsa: '-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n-----END OPENSSH PRIVATE KEY-----\n',
    '.git/config': '[remote "origin"]\n\turl = https://me:secret@example.com/x.git\n',
    'README.md': 'the library\n',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

async function run(calls: (library: string) => readonly Call[], isConfined: boolean, files = {}) {
  const library = libraryFolder()
  const opened = () => ({ ...noSandbox('pretended'), state: { state: 'on' as const, reason: 'pretended' } })
  const world = await openWorld(callingInTurn(calls(library)), {
    ...{ files, openSandbox: isConfined ? () => openSandbox([]) : async () => opened() },
    settings: { interrupt_on: { execute: false } },
    folders: [{ name: 'lib', path: library }],
  })
  const { id, results } = await world.work()
  return { ...world, id, results, library }
}

describe.runIf(state === 'on')('in the sandbox', () => {
  it('commands read a folder beside the project under both paths and its variable, and never write it', async () => {
    const { results, library } = await run(
      (folder) => [
        execute('cat /refs/lib/README.md "$COPPICE_PLACE_REFS_LIB/src/add.ts"'),
        execute(`cat ${folder}/README.md; ls /refs/lib`),
        execute(`for to in /refs/lib ${folder}; do echo x > $to/new; echo x >> $to/README.md; rm $to/README.md; done`),
        call('run_js_code', { code: "return await fs.read('/refs/lib/src/add.ts')" }),
      ],
      true,
    )
    expect(results[0]).toContain('the library\nexport const add = 1\n')
    expect(results[1]).toContain('the library\n')
    expect(results[1]).toContain('README.md\ndeploy\nid_rsa\nsrc\n')
    expect(results[2]).toContain('Read-only file system')
    expect(results[3]).toContain('export const add = 1')
    expect(readdirSync(library).toSorted()).toEqual(['.git', 'README.md', 'deploy', 'id_rsa', 'src'])
    expect(readFileSync(join(library, 'README.md'), 'utf8')).toBe('the library\n')
  })

  // Mutation: let `findShownFolders` hide nothing.
  it('hides in it what it hides in a project, says so, and shows no login of git', async () => {
    const { results } = await run(
      (folder) => [
        execute(
          `cat /refs/lib/deploy/.env ${folder}/deploy/.env; cat /refs/lib/id_rsa; cat /refs/lib/.git/config; true`,
        ),
        execute(`grep -r secret /refs/lib ${folder}; grep -r ghp_ /refs/lib ${folder}; ls -l /refs/lib/deploy/.env`),
      ],
      true,
    )
    for (const result of results) {
      expect(result).not.toContain(token)
      expect(result).not.toContain('me:secret')
      expect(result).not.toContain('PRIVATE KEY')
    }
    expect(results[0]).toContain('/refs/lib/deploy/.env')
    expect(results[0]).toContain('hidden from it')
  })
})

it('without a sandbox, commands find it by its variable', async () => {
  const { results } = await run(() => [execute('cat "$COPPICE_PLACE_REFS_LIB/README.md"')], false)
  expect(results[0]).toContain('the library')
})

it('is no part of the project: file tools read and search it, nothing writes it, nothing enters the patch', async () => {
  const { results, id, fileOf, library } = await run(
    () => [
      call('read_file', { file_path: '/refs/lib/README.md' }),
      call('grep', { pattern: 'library', path: '/refs/lib' }),
      call('grep', { pattern: 'library', path: '/' }),
      call('write_file', { file_path: '/refs/lib/new.md', content: 'new' }),
      call('edit_file', { file_path: '/refs/lib/README.md', old_string: 'the', new_string: 'a' }),
      call('ls', { path: '/refs' }),
    ],
    false,
    { 'a.txt': 'a' },
  )
  expect(results[0]).toContain('the library')
  expect(results[1]).toContain('/refs/lib/README.md')
  expect(results[2]).not.toContain('/refs/lib/README.md')
  expect(results[3]).toContain('can only be read')
  expect(results[4]).toContain('can only be read')
  expect(results[5]).toContain('lib')
  expect(readdirSync(library)).not.toContain('new.md')
  expect(await fileOf(id, '/refs/lib/README.md' as VirtualPath), 'not in the branch').toBe('')
})
