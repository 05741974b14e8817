import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call as callProcedure } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { byTask, type Call, callingInTurn } from '../e2e/model-server/scenario.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { noSandbox } from '../src/main/adapters/shell/sandbox.ts'
import { sandboxHere } from '../src/main/adapters/shell/sandbox-here.testkit.ts'
import { exportPatch } from '../src/main/host/changes/export-patch.ts'
import { openWorld } from './world.testkit.ts'

const { state } = await sandboxHere('several folders')

const call = (name: string, input: object): Call => ({ name, input })
const execute = (command: string) => call('execute', { command })
const sh = (script: string, cwd: string) => execFileSync('bash', ['-ec', script], { cwd, encoding: 'utf8' })
const begin =
  'git init -q -b main .; git config user.name n; git config user.email e@e; git add -A; git commit -qm first'

/** A project of two repositories, and an agent that makes these calls, one per turn. */
async function run(calls: (library: string) => readonly Call[], isConfined = state === 'on') {
  const library = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-library-')))
  writeFileSync(join(library, 'add.ts'), 'export const add = 1\n')
  writeFileSync(join(library, '.gitignore'), 'built/\n')
  sh(begin, library)
  const pretended = () => ({ ...noSandbox('pretended'), state: { state: 'on' as const, reason: 'pretended' } })
  const world = await openWorld(callingInTurn(calls(library)), {
    files: { 'main.ts': 'import "lib"\n', '.gitignore': '*.ts.bak\nlib/\nadd.ts\n' },
    changeFolder: (folder) => sh(begin, folder),
    openSandbox: isConfined ? () => openSandbox([]) : async () => pretended(),
    settings: { interrupt_on: { execute: false } },
    folders: [{ name: 'lib', path: library, access: 'write' }],
  })
  const { id, results } = await world.work()
  const { trees } = world.project.services.log
  const branchId = world.thread(id).branchId
  return { ...world, id, branchId, tree: () => trees.heads.get(branchId), results, library }
}

describe.each(state === 'on' ? ([true, false] as const) : ([false] as const))('with a sandbox: %s', (isConfined) => {
  it('file tools, searches, code and commands work on both folders as one', async () => {
    const { results, fileOf, id, library, folder } = await run(
      (lib) => [
        call('ls', { path: '/' }),
        call('edit_file', { file_path: '/lib/add.ts', old_string: '1', new_string: '2' }),
        call('grep', { pattern: 'export', path: '/' }),
        execute(
          `cat ${isConfined ? lib : '"$COPPICE_FOLDER_LIB"'}/add.ts; cd "$COPPICE_FOLDER_LIB"; git status --short; mkdir built; echo o > built/o; echo new > new.ts; cd - > /dev/null; echo done > result.txt`,
        ),
        execute(
          'cat "$COPPICE_FOLDER_LIB/built/o" "$COPPICE_FOLDER_LIB/new.ts"; git status --short; cd "$COPPICE_FOLDER_LIB"; git add -A; git commit -qm agent; git log --format=%s',
        ),
        call('run_js_code', { code: "await fs.write('/lib/js.ts', 'js'); return await fs.read('/lib/new.ts')" }),
        call('run_python_code', { code: "open('/lib/py.ts', 'w').write('py')\nopen('/lib/add.ts').read()" }),
        call('delete', { path: '/lib' }),
        call('glob', { pattern: '**/*.ts' }),
      ],
      isConfined,
    )
    expect(results[0]).toContain('lib')
    expect(results[1]).toContain('add.ts')
    expect(results[2]).toContain('/lib/add.ts')
    expect(results[3]).toContain('export const add = 2\n M add.ts\n')
    expect(results[3]).toContain('/lib/new.ts')
    expect(results[3]).toContain('/result.txt')
    expect(results[4]).toContain('o\nnew\n?? result.txt\nagent\nfirst\n')
    expect(results[5]).toContain('new')
    expect(results[6]).toContain('export const add = 2')
    expect(results[7]).toContain('lies elsewhere on disk')
    for (const name of ['add', 'new', 'js', 'py']) expect(results[8]).toContain(`/lib/${name}.ts`)
    expect(await fileOf(id, '/lib/new.ts')).toBe('new\n')
    expect(await fileOf(id, '/lib/built/o'), 'ignored there').toBe('')
    expect(sh('git status --porcelain; cat add.ts; ls', library)).toBe('export const add = 1\nadd.ts\n')
    expect(sh('git status --porcelain; ls', folder)).toBe('main.ts\n')
  })
})

it('has a patch for each folder, writes both in one apply, and takes both back', async () => {
  const { project, branchId, tree, library, folder, host } = await run(() => [
    call('edit_file', { file_path: '/lib/add.ts', old_string: '1', new_string: '2' }),
    call('write_file', { file_path: '/lib/deep/new.ts', content: 'new\n' }),
    call('edit_file', { file_path: '/main.ts', old_string: 'lib', new_string: 'library' }),
  ])
  const head = tree()
  if (!head) throw new Error('The branch is loaded.')
  const own = await exportPatch(project, head, null)
  const text = new TextDecoder().decode(own.bytes)
  expect(text).toContain('main.ts')
  expect(text).not.toContain('add.ts')
  expect(own.leftOut.map(({ path }) => path)).toEqual(['/lib/add.ts', '/lib/deep/new.ts'])
  const ofLibrary = await exportPatch(project, head, ['/lib' as VirtualPath])
  const patch = join(folder, '..', `${branchId}.patch`)
  writeFileSync(patch, ofLibrary.bytes)
  expect(
    sh(`git clone -q . c; cd c; git apply --index ${patch}; git status --porcelain; cd ..; rm -rf c`, library),
  ).toBe('M  add.ts\nA  deep/new.ts\n')

  const projectId = project.info().id
  const { sequence } = (await callProcedure(host.router.changes.apply, {
    projectId,
    branchId,
    paths: null,
    along: [],
  } as never)) as { sequence: number }
  expect(readFileSync(join(library, 'add.ts'), 'utf8')).toBe('export const add = 2\n')
  expect(readFileSync(join(library, 'deep/new.ts'), 'utf8')).toBe('new\n')
  expect(readFileSync(join(folder, 'main.ts'), 'utf8')).toBe('import "library"\n')
  await callProcedure(host.router.changes.undoApply, { projectId, branchId, sequence } as never)
  expect(sh('git status --porcelain', library)).toBe('')
  expect(sh('git status --porcelain', folder)).toBe('')
})

it('forks and merges both folders as one: twelve agents, and a conflict in one of them', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `agent-${at}`)
  const edits = (at: number) => [
    { name: 'write_file', id: `own${at}`, input: { file_path: `/own-${at}.ts`, content: `own ${at}` } },
    { name: 'write_file', id: `lib${at}`, input: { file_path: `/lib/lib-${at}.ts`, content: `lib ${at}` } },
    // Two of them change the same line of the library.
    ...(at < 2 ? [call('edit_file', { file_path: '/lib/add.ts', old_string: '1', new_string: `${at + 2}` })] : []),
  ]
  const scripts = Object.fromEntries(
    names.map((name, at) => [
      `${name} work`,
      [{ calls: edits(at).map((one, n) => ({ id: `e${at}${n}`, ...one })) }, { text: 'Done.' }],
    ]),
  )
  const library = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-library-')))
  writeFileSync(join(library, 'add.ts'), 'export const add = 1\n')
  sh(begin, library)
  const world = await openWorld(
    byTask({
      main: [
        {
          calls: names.map((name) => ({
            id: name,
            ...call('task', { description: `${name} work`, subagent_type: 'general-purpose' }),
          })),
        },
        { text: 'Done.' },
      ],
      ...scripts,
    } as never),
    { files: { 'main.ts': 'x' }, folders: [{ name: 'lib', path: library, access: 'write' }] },
  )
  const { id, results } = await world.work()
  const conflicts = results.flatMap((one) => JSON.parse(one).merge.conflicts.map(({ path }: { path: string }) => path))
  expect(conflicts).toEqual(['/lib/add.ts'])
  for (const at of [0, 5, 11]) {
    expect(await world.fileOf(id, `/own-${at}.ts`)).toBe(`own ${at}`)
    expect(await world.fileOf(id, `/lib/lib-${at}.ts`)).toBe(`lib ${at}`)
  }
  expect(await world.fileOf(id, '/lib/add.ts')).toBe('export const add = 2\n')
  expect(sh('git status --porcelain', library)).toBe('')
})
